// Processors: one a rank, that adds what the rank receives: one piece of work at a time, in the
// order in which it comes.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::simulator {

class Processors {
 public:
  /// gamma: picoseconds a byte reduced.
  Processors(Rank ranks, double gamma) : free_(static_cast<std::size_t>(ranks)), gamma_(gamma) {}

  /// As Network::reduce() says.
  Network::Work reduce(Rank rank, Bytes bytes, Time now) {
    Time& free = free_[static_cast<std::size_t>(rank)];
    const Time begin = std::max(now, free);
    free = begin + to_time(static_cast<double>(bytes) * gamma_);
    return {begin, free};
  }

 private:
  std::vector<Time> free_;  // when each is
  double gamma_;
};

}  // namespace arlab::simulator
