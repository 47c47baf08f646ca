// Processors: one per rank. It adds what the rank receives, one piece of work at a time, in order
// of arrival.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::simulator {

class Processors {
 public:
  /// gamma: picoseconds per reduced byte.
  Processors(Rank ranks, double gamma) : free_(static_cast<std::size_t>(ranks)), gamma_(gamma) {}

  /// Implements Network::reduce().
  Network::Work reduce(Rank rank, Bytes bytes, Time now) {
    return compute(rank, reduction_time(bytes, gamma_), now);
  }

  /// Implements Network::compute().
  Network::Work compute(Rank rank, Time duration, Time now) {
    Time& free = free_[static_cast<std::size_t>(rank)];
    const Time begin = std::max(now, free);
    free = begin + duration;
    return {begin, free};
  }

 private:
  std::vector<Time> free_;  // when each is free
  double gamma_;
};

}  // namespace arlab::simulator
