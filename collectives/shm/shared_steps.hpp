// SharedSteps: what the ranks of one machine give one another, step by step, in memory that all of
// them map.
//
// Every rank takes part in every step, so that steps need no addresses: a rank has a few slots,
// which its steps use in turn. A slot holds what the rank gives to all (given), and what it has
// combined for all (combined): a few bytes beside the number of the step, or a buffer. A rank
// writes its own slots only. It reuses one when all other ranks have read the step that was there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/relax.hpp"

namespace arlab::collectives {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share no locks");

/// What a rank does that waits: looks `spins` times, then rests between looks.
struct StepWaiting {
  int spins = 1000;
  /// Gives the core away for a while; `rests`: how often it has in this wait. It may throw, after
  /// which the steps are of no use any more.
  void (*rest)(void* whose, unsigned rests) = nullptr;
  void* whose = nullptr;
};

class SharedSteps {
 public:
  static constexpr std::size_t kSlots = 4;
  static constexpr std::size_t kBufferBytes = 256 << 10;
  enum class Side : unsigned char { given, combined };

  static std::size_t bytes_for(Rank ranks);

  /// `memory`: bytes_for(ranks) of zeros, at first.
  SharedSteps(std::byte* memory, Rank me, Rank ranks, StepWaiting waiting);

  Rank me() const { return me_; }
  Rank ranks() const { return ranks_; }

  /// Begins so many steps, as all ranks do; returns the number of the first.
  std::uint64_t begin(std::size_t steps) {
    const std::uint64_t first = next_;
    next_ += steps;
    return first;
  }

  /// Whether room() for the next step would not wait, as far as this rank knows.
  bool has_room() const;
  /// Whether all others have posted something for a step.
  bool all_posted(Side side, std::uint64_t step) const;

  /// Returns memory of this rank for at most kBufferBytes of a step, once nobody reads it any more.
  std::byte* room(Side side, std::uint64_t step, std::size_t bytes);
  /// Shows it to all others.
  void post(Side side, std::uint64_t step);
  /// Waits for what a rank has posted; it remains until done(step).
  const std::byte* await(Rank from, Side side, std::uint64_t step, std::size_t bytes);
  /// Returns what this rank has posted itself.
  const std::byte* own(Side side, std::uint64_t step, std::size_t bytes) const {
    return payload(me_, side, step, bytes);
  }
  /// This rank reads nothing of this and earlier steps any more.
  void done(std::uint64_t step);

 private:
  // Memory of zeros is valid.
  struct alignas(64) Cell {
    static constexpr std::size_t kBytes = 48;
    std::atomic<std::uint64_t> number;  // of the step that it holds
    std::uint64_t done;                 // the last step that its rank had read
    std::byte data[kBytes];
  };
  struct alignas(128) Ends {
    Cell cells[2][kSlots];
    alignas(64) std::atomic<std::uint64_t> done;
  };
  // Buffers do not begin in the same lines of the caches.
  static constexpr std::size_t kStride = kBufferBytes + std::size_t{17} * 64;

  Ends& ends(Rank rank) const {
    return reinterpret_cast<Ends*>(memory_)[static_cast<std::size_t>(rank)];
  }
  Cell& cell(Rank rank, Side side, std::uint64_t step) const {
    return ends(rank).cells[static_cast<std::size_t>(side)][step % kSlots];
  }
  std::byte* payload(Rank rank, Side side, std::uint64_t step, std::size_t bytes) const;

  template <class Ready>
  void wait(Ready ready) const {
    for (int spins = 0; spins < waiting_.spins; ++spins) {
      if (ready()) return;
      relax();
    }
    for (unsigned rests = 0; !ready(); ++rests) waiting_.rest(waiting_.whose, rests);
  }

  std::byte* memory_;
  std::byte* buffers_;
  Rank me_, ranks_;
  StepWaiting waiting_;
  std::uint64_t next_ = 1, done_ = 0;
  std::vector<std::uint64_t> known_done_;  // by rank: the last step that it is known to have read
};

}  // namespace arlab::collectives
