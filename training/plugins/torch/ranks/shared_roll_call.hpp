// SharedRollCall: who waits, when a collective takes too long, as RollCall, in memory that all
// ranks of a group map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::training {

class SharedRollCall {
 public:
  static std::size_t bytes_for(Rank ranks) {
    return static_cast<std::size_t>(ranks) * sizeof(Place);
  }

  /// `memory`: bytes_for(ranks) of zeros, at first.
  SharedRollCall(std::byte* memory, Rank me, Rank ranks)
      : places_(reinterpret_cast<Place*>(memory)),
        me_(static_cast<std::size_t>(me)),
        answers_(static_cast<std::size_t>(ranks)) {}

  void answer() { places_[me_].answers.fetch_add(1, std::memory_order_relaxed); }

  /// Tells the others that this rank leaves the group after so many collectives.
  void leave(std::uint64_t collectives) {
    places_[me_].left.store(collectives + 1, std::memory_order_relaxed);
  }

  /// Returns how often each rank has answered so far; this one's are not counted.
  const std::vector<unsigned>& answers() {
    for (std::size_t rank = 0; rank < answers_.size(); ++rank)
      if (rank != me_) answers_[rank] = places_[rank].answers.load(std::memory_order_relaxed);
    return answers_;
  }
  /// Returns the first rank that has left after fewer collectives; -1 if none has.
  Rank left_before(std::uint64_t collectives) const {
    for (std::size_t rank = 0; rank < answers_.size(); ++rank) {
      const std::uint64_t left = places_[rank].left.load(std::memory_order_relaxed);
      if (left != 0 && left - 1 < collectives) return static_cast<Rank>(rank);
    }
    return -1;
  }

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share no locks");
  struct alignas(64) Place {
    std::atomic<unsigned> answers;
    std::atomic<std::uint64_t> left;  // 1 more than the collectives; 0: it stays
  };

  Place* places_;
  std::size_t me_;
  std::vector<unsigned> answers_;
};

}  // namespace arlab::training
