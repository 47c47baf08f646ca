// Footprint: what a step of a PeerSchedule uses of its own rank's memory.
#pragma once

#include <cstddef>
#include <tuple>

#include "collectives/gpu/peer_schedule.hpp"

namespace arlab::collectives {

/// Bytes of a rank's own memory that a step uses.
struct Footprint {
  PeerPlace::Space space = PeerPlace::Space::vector;
  std::size_t begin = 0, end = 0;
  bool writes = false;

  bool same_range(const Footprint& other) const {
    return std::tie(space, begin, end) == std::tie(other.space, other.begin, other.end);
  }
  /// Whether blocks may meet: equal ranges have equal slices.
  bool conflicts(const Footprint& other) const {
    return space == other.space && begin < other.end && other.begin < end &&
           (writes || other.writes) && !same_range(other);
  }
};

}  // namespace arlab::collectives
