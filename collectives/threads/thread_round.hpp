// ThreadRound: one rank's current round of one lane, over mailboxes.
//
// A receiver reads the sender's memory and reduces straight into its own. A send whose memory the
// same round also changes is sent from a snapshot instead, so that every receive may go ahead at
// once and every send still has the value at the round's start. Receives that overlap are applied
// in listed order; a message that waits for its turn while there is nothing else to do is set
// aside, so that its sender can go on.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/threads/event_count.hpp"
#include "collectives/threads/mailboxes.hpp"

namespace arlab::collectives {

/// What the ranks' threads share for their messages.
struct ThreadWires {
  explicit ThreadWires(Rank ranks) : mailboxes(ranks), doorbells(static_cast<std::size_t>(ranks)) {}
  EventCount& doorbell(Rank rank) { return doorbells[static_cast<std::size_t>(rank)]; }

  Mailboxes mailboxes;
  std::vector<EventCount> doorbells;  ///< of each rank: rung when one of its slots has changed
};

class ThreadRound {
 public:
  /// Posts the round's sends. The last round must be done.
  void start(ThreadWires& wires, int lane, Rank me, std::span<const Transfer> round,
             Operand operand);

  /// Does what can be done without waiting; whether that was anything. Throws Error(check) if the
  /// two ends of a message disagree on its elements.
  bool progress();

  /// Sets one message aside that cannot be applied yet; whether there was one.
  bool set_aside();

  bool done() const { return open_ == 0; }

  /// Gives up: afterwards nobody reads this rank's memory on behalf of this round.
  void withdraw();

 private:
  struct Send {
    const std::byte* data;
    Count elements;
    Rank peer;
    Slot* slot;
    const Send* earlier = nullptr;  // the one before it in the same slot
    bool posted = false, consumed = false;
  };
  struct Receive {
    Transfer transfer;
    Slot* slot;
    std::unique_ptr<std::byte[]> aside = nullptr;
    bool done = false;
    bool arrived() const { return aside || !slot->is_empty(); }
  };

  bool progress(Send& send);
  bool progress(Receive& receive);
  void chain();
  void snapshot();
  bool is_changed(const Send& send) const;
  bool is_first_from_its_peer(const Receive& receive) const;
  bool is_its_turn(const Receive& receive) const;
  template <class Use>
  bool with_message(Receive& receive, Use use);
  void store(const Transfer& transfer, const std::byte* message) const;
  std::size_t bytes(Count elements) const {
    return static_cast<std::size_t>(elements) * size_of(operand_.dtype);
  }

  ThreadWires* wires_ = nullptr;
  Rank me_ = 0;
  Operand operand_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  std::vector<std::byte> snapshot_;
  std::size_t open_ = 0;  // sends and receives not done
};

}  // namespace arlab::collectives
