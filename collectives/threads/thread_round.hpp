// ThreadRound: one rank's current round of one lane, over mailboxes.
//
// A receiver reads the sender's memory, or the copy of a short message, and reduces directly into
// its own. If the round also changes memory that it sends, a snapshot is sent instead. So every
// receive may proceed at once, and every message has the value at the round's start. Receives that
// overlap are applied in listed order. A message that must wait for its turn is staged in a buffer,
// so that its sender can continue.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/copy/measured_copy.hpp"
#include "collectives/threads/event_count.hpp"
#include "collectives/threads/mailboxes.hpp"

namespace arlab::collectives {

/// Shared by the ranks' threads for their messages.
struct ThreadChannels {
  explicit ThreadChannels(Rank ranks)
      : mailboxes(ranks), event_counts(static_cast<std::size_t>(ranks)) {}
  EventCount& event_count(Rank rank) { return event_counts[static_cast<std::size_t>(rank)]; }

  Mailboxes mailboxes;
  std::vector<EventCount> event_counts;  ///< by rank: notified when one of its slots changes
};

class ThreadRound {
 public:
  /// Posts the round's sends. The previous round must be done. copy: of the rank, for all its
  /// lanes.
  void start(ThreadChannels& channels, MeasuredCopy& copy, int lane, Rank me,
             std::span<const Transfer> round, Operand operand);

  /// Advances without waiting. Returns whether anything moved. Throws Error(check) if the two ends
  /// of a message disagree on its elements.
  bool progress();

  /// Stages one message that cannot be applied yet. Returns whether there was one.
  bool stage_one();

  bool done() const { return open_ == 0; }

  /// Returns what the round waits for: "a message from rank 2"; empty if nothing.
  std::string awaited() const;

  /// Cancels the round: afterwards no thread reads this rank's memory for it.
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
    std::unique_ptr<std::byte[]> staged = nullptr;
    bool done = false;
    bool arrived() const { return staged || !slot->is_empty(); }
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

  ThreadChannels* channels_ = nullptr;
  MeasuredCopy* copy_ = nullptr;
  Rank me_ = 0;
  Operand operand_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  std::vector<std::byte> snapshot_;
  std::size_t open_ = 0;  // sends and receives not done
};

}  // namespace arlab::collectives
