// Messages: tagged messages between pairs of ranks of a group, any number of them open, in any
// order.
//
// Each begins with a header that says what it holds. A short one travels with its header, into
// memory of our own; a longer one is sent once its receiver has found that it fits. So no message
// is ever larger than the memory that it lands in, and a pair that disagrees gets an error.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class Messages {
 public:
  static constexpr Rank kAnyRank = -1;

  /// What a message carries; both sides must give the same type and number of bytes.
  struct Content {
    std::span<std::byte> data;
    std::string type;  ///< of the elements, at most 15 letters
  };
  /// Gets the error or null, and who sent the message.
  using Done = std::function<void(std::exception_ptr error, Rank from)>;
  /// A call of Done that is due.
  using Finished = std::function<void()>;

  /// All ranks of the communicator, which is one over MPI, call it together. A message that has not
  /// moved for `seconds` fails. `names`: of the ranks, in errors.
  Messages(const Communicator& group, double seconds, std::vector<std::string> names);
  ~Messages();

  /// The memory is in use until `done` is called. Throws Error(usage) for a tag that MPI does not
  /// have.
  void send(Rank to, int tag, Content content, Done done);
  /// From that rank, or from kAnyRank.
  void receive(Rank from, int tag, Content content, Done done);

  /// Moves messages on, and adds those calls that are due. Returns whether any message moved.
  bool poll(std::vector<Finished>& finished);

  std::size_t open() const { return open_.size(); }
  /// Messages to be sent that are still here.
  std::size_t open_sends() const;
  /// Withdraws the receives that nothing has arrived for. Their Done is not called.
  void withdraw_receives();
  /// Whether a message failed so late that MPI may still use its memory: it is kept, and MPI cannot
  /// be finalized.
  bool damaged() const { return !abandoned_.empty(); }

 private:
  struct Header;
  struct Link;
  struct Message;
  using Open = std::list<std::unique_ptr<Message>>;

  Message& add(bool sends, Rank peer, int tag, Content content, Done done);
  bool advance(Message& message, Rank source);
  bool header_arrived(Message& message, Rank source);
  void move_payload(Message& message);
  void reply(Message& message, bool fits);
  bool expired(Message& message);
  int reply_tag(const Message& message) const;
  std::string who(Rank rank) const;

  std::unique_ptr<Link> link_;
  double seconds_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> sent_;  // long messages, by receiver
  Open open_;
  Open abandoned_;
};

}  // namespace arlab::collectives
