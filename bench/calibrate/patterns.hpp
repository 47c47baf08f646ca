// Patterns: the messages of the probes as programs, which the executor runs and the simulator
// times.
#pragma once

#include "algorithms/algorithm.hpp"
#include "simulator/connections/machine.hpp"

namespace arlab::bench {

enum class Pattern : std::uint8_t {
  round_trip,     ///< rank 0 sends to rank 1, which sends it back
  exchange,       ///< both send a part and receive the other's
  fan_out,        ///< rank 0 to two
  fan_in,         ///< two to rank 0
  sum_back,       ///< rank 0 adds what rank 1 sends, and sends the sum back
  exchange_sum,   ///< both add what they receive to what they send
  exchange_part,  ///< both add what they receive to what they do not send
};

/// Returns the program of two or three ranks; further ranks do nothing.
Algorithm algorithm_of(Pattern pattern);

/// Returns the bytes of the vector whose messages have that number of bytes.
Count vector_bytes(Pattern pattern, Count bytes, Rank ranks);

/// Returns the time of the pattern with messages of that number of bytes, in microseconds, on a
/// crossbar of the machine's ports.
double pattern_us(Pattern pattern, Bytes bytes, const simulator::Machine& machine);

}  // namespace arlab::bench
