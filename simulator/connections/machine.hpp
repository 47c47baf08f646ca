// Machine: what the model `connections` knows about a machine: the numbers that `arlab calibrate`
// measures. All times are in picoseconds.
//
// A mechanism whose number is at its neutral value does nothing, so that its worth can be seen by
// leaving it out.
#pragma once

#include <cstdint>

#include "algorithms/base/parameters.hpp"
#include "simulator/connections/size_curve.hpp"

namespace arlab::simulator {

/// What a rank posts first in a round.
enum class Posting : std::uint8_t {
  receives,
  sends,
  sends_of_exchanges,  ///< sends if it also receives from a rank it sends to, else receives
};

/// Of the runs with other random delays whose median is a prediction: odd, so that it is one of
/// them.
inline constexpr int kDriftRuns = 9;

struct Machine {
  double latency = 20e6;   ///< of the smallest message
  double gap = 0;          ///< time that a rank's processor needs for each message it starts
  double beta = 0;         ///< per byte of a host's port; 0: what the topology says
  double envelope = 64;    ///< bytes that each message, request, and grant carries besides its own
  double burst = 0;        ///< bytes that pass a link at once that has been idle; 0: none
  double burst_left = 0;   ///< of them at the start
  double eager = 65536;    ///< largest message that leaves without a grant
  double socket = 524288;  ///< a send ends when at most these bytes are not delivered
  /// Bytes of one connection that wait in the sender's own link. Messages of other connections wait
  /// behind them. 0: requests and grants pass all data.
  double queue = 131072;
  double acks = 0;  ///< bytes of acknowledgments for each delivered byte, in the other direction
  double segment = 65536;  ///< bytes that a connection hands to its link at once
  double drift = 0;        ///< mean delay of a rank before each round; exponentially distributed
  double drift_long = 0;   ///< the same before a round with a message above the eager limit
  std::uint64_t seed = 1;  ///< of these delays
  bool ordered = true;     ///< a grant waits behind the data of its own connection
  Posting posting = Posting::sends_of_exchanges;
  Bytes mtu = 1500;     ///< bytes of a packet; at least 1/256 of a message
  SizeCurve host;       ///< further time of a message of that size
  SizeCurve reduction;  ///< of received bytes
  // Of the ranks of one machine:
  bool shared = false;       ///< receivers copy messages from senders' memory: SharedMemory
  SizeCurve host_together;   ///< as `host`, while another rank copies; empty: the same
  SizeCurve reduction_sent;  ///< of elements that the rank sends in the same round; empty: the same
  bool operator==(const Machine&) const = default;
};

/// Returns the numbers of the machine as values of the model's parameters, for --L, --S and so on.
Values values_of(const Machine& machine);

/// Whether times depend on the seed.
inline bool is_random(const Machine& machine) {
  return machine.drift > 0 || machine.drift_long > 0;
}

/// Returns the machine with other numbers: all those of values_of(). A `gamma` above 0 replaces the
/// curve of reductions, and `curve` 0 removes that of messages.
Machine with_values(Machine machine, const Values& values);

}  // namespace arlab::simulator
