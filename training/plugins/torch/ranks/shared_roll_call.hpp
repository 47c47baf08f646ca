// SharedRollCall: who waits, when a collective takes too long, as RollCall, in memory that all
// ranks of a group map.
#pragma once

#include <atomic>
#include <cstddef>
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
        heard_(static_cast<std::size_t>(ranks)) {}

  void answer() { places_[me_].waits.store(1, std::memory_order_release); }

  /// Returns which ranks have been heard so far; this one never is.
  const std::vector<bool>& heard() {
    for (std::size_t rank = 0; rank < heard_.size(); ++rank)
      heard_[rank] = rank != me_ && places_[rank].waits.load(std::memory_order_acquire) != 0;
    return heard_;
  }

 private:
  struct alignas(64) Place {
    std::atomic<int> waits;
  };

  Place* places_;
  std::size_t me_;
  std::vector<bool> heard_;
};

}  // namespace arlab::training
