// Pair timer: times round trips between pairs of real ranks, whatever carries their messages.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/hunt/search/probe.hpp"
#include "collectives/communicator.hpp"

namespace arlab::bench {

/// Of the buffers that messages use: short messages and answers fit.
inline constexpr Bytes kLeastRoom = 1024;

/// Sends a message, or receives one. Both return when it is done.
struct MessageEnds {
  std::function<void(Rank to, Bytes bytes)> send;
  std::function<void(Rank from, Bytes bytes)> receive;
};

class PairTimer {
 public:
  /// All ranks make one, and use it in the same order. The communicator must outlive it.
  PairTimer(collectives::Communicator& communicator, MessageEnds ends);

  /// As hunt::Probe::round_trips; all ranks get the same times.
  std::vector<double> round_trips(std::span<const hunt::Pair> pairs, Bytes bytes);
  /// Returns the least of a few times that each rank takes, by rank: what else runs on a machine
  /// only adds to it. `once` returns microseconds.
  std::vector<double> least_alone(const std::function<double()>& once);
  /// As hunt::Probe::trips; all ranks call it together.
  std::vector<hunt::Trips> trips();

 private:
  double now() { return communicator_.clock().now(); }
  double first_end(Rank peer, Bytes bytes, int repetitions);
  void note_trips(Rank peer, const std::vector<double>& times, double usual);
  void second_end(Rank peer, Bytes bytes, int repetitions);
  std::vector<double> by_rank(double mine);

  collectives::Communicator& communicator_;
  MessageEnds ends_;
  std::vector<hunt::Trips> trips_;  // that this rank timed, by rank
};

/// Returns the machine of each rank; empty if all share one.
std::vector<std::int32_t> machine_groups(collectives::Communicator& communicator);

}  // namespace arlab::bench
