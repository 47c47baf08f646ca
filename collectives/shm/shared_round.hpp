// SharedRound: one rank's current round of one lane, over SharedChannels.
//
// A short message is copied out of its sender's memory when the round starts, and reduced straight
// from shared memory. A long one is read from its sender's memory, which must not change before: if
// the round also changes it, a snapshot is sent instead. Receives that overlap are applied in
// listed order. Long messages that are added to the same memory, and have arrived, are added block
// by block: their sum is written once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/shm/shared_channels.hpp"

namespace arlab::collectives {

/// Whether two pieces of memory overlap.
bool share_bytes(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes);

class SharedRound {
 public:
  /// Posts what has room. The previous round must be done.
  void start(SharedChannels& channels, int lane, std::span<const Transfer> round, Operand operand);

  /// Advances without waiting. Returns whether anything moved. Throws Error(check) if the two ends
  /// of a message disagree on its size.
  bool progress();
  /// Stages one fragment that cannot be applied yet, so that its sender can continue. Returns
  /// whether there was one.
  bool stage_one();

  bool done() const { return open_ == 0; }
  /// Returns what the round waits for: "a message from rank 2"; empty if nothing.
  std::string awaited() const;
  /// Bytes of the messages that are not done.
  std::size_t bytes_in_progress() const;
  /// Forgets the round.
  void abandon() noexcept { open_ = 0; }

 private:
  struct Send {
    const std::byte* data;
    std::size_t bytes;
    Rank peer;
    Passing passing{};
    std::size_t posted = 0;         // bytes
    std::uint64_t number = 0;       // of a message that stays
    const Send* earlier = nullptr;  // the one before it to the same rank
    bool done = false;
    bool is_posted() const { return posted == bytes; }
  };
  struct Receive {
    Transfer transfer;
    std::size_t bytes;
    std::size_t got = 0;
    std::unique_ptr<std::byte[]> staged = nullptr;
    bool done = false;
    Report report{};  // if the message is a sample
    std::chrono::steady_clock::time_point since{};
  };

  bool progress(Send& send);
  bool progress(std::size_t receive);
  void chain();
  void take_snapshots(bool of_what_stays);
  bool is_changed(const Send& send) const;
  bool may_take(const Receive& receive) const;
  bool is_its_turn(const Receive& receive) const;
  const Cell* arrived(Receive& receive);
  const std::byte* part_of(const Cell& cell, Rank from, std::size_t at, std::size_t bytes);
  void take_into(Receive& receive, const Cell& cell, std::byte* into, bool adds);
  bool add_together(std::size_t first);
  void finish(Receive& receive);

  SharedChannels* channels_ = nullptr;
  int lane_ = 0;
  Operand operand_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  std::vector<std::unique_ptr<std::byte[]>> snapshots_;
  std::vector<std::byte> block_;
  std::size_t open_ = 0;                           // sends and receives not done
  std::chrono::steady_clock::time_point began_{};  // if it has receives that may be samples
  bool is_first_look_ = false;                     // for messages, since the round began
};

}  // namespace arlab::collectives
