// Place: where a rank is in its program, in memory that other ranks or a watching thread can read.
//
// A rank writes its own, with plain stores; nobody waits for it. When a wait fails, the places of
// all ranks say who is missing where.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

/// Memory of zeros is a valid Place.
struct alignas(64) Place {
  static constexpr std::size_t kLanes = 14;  ///< further lanes are not shown

  static constexpr std::uint32_t kEnded = ~std::uint32_t{0};  ///< a lane whose rounds are over

  /// Counts the begins and the ends of collectives: odd inside of one.
  std::atomic<std::uint32_t> collective{0};
  std::atomic<std::uint32_t> lanes{0};                      ///< of the last collective
  std::array<std::atomic<std::uint32_t>, kLanes> rounds{};  ///< begun, by lane

  void begin(std::size_t all_lanes) {
    const std::size_t shown = std::min(all_lanes, kLanes);
    lanes.store(static_cast<std::uint32_t>(shown), std::memory_order_relaxed);
    for (std::size_t lane = 0; lane < shown; ++lane)
      rounds[lane].store(0, std::memory_order_relaxed);
    count();
  }
  void begin_round(std::size_t lane, std::uint32_t round) {
    if (lane < kLanes) rounds[lane].store(round, std::memory_order_relaxed);
  }
  void end() { count(); }

 private:
  void count() {
    collective.store(collective.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

/// While one lives, the rank is inside of a collective. `place` may be null.
class Inside {
 public:
  Inside(Place* place, std::size_t lanes) : place_(place) {
    if (place_) place_->begin(lanes);
  }
  ~Inside() {
    if (place_) place_->end();
  }
  Inside(const Inside&) = delete;
  void begin_round(std::size_t lane, std::uint32_t round) const {
    if (place_) place_->begin_round(lane, round);
  }

 private:
  Place* place_;
};

/// What another rank has read of a Place.
struct SeenPlace {
  Rank rank = 0;
  bool missing = false;  ///< the rank does not run
  std::uint32_t collective = 0;
  std::array<std::uint32_t, Place::kLanes> rounds{};

  static SeenPlace of(const Place& place, Rank rank, bool missing) {
    SeenPlace seen{rank, missing, place.collective.load(std::memory_order_acquire), {}};
    const std::size_t lanes = place.lanes.load(std::memory_order_relaxed);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      seen.rounds[lane] = place.rounds[lane].load(std::memory_order_relaxed);
    return seen;
  }
};

}  // namespace arlab::collectives
