// Patterns: the messages of the probes as programs, which the simulator times.
#pragma once

#include "simulator/connections/machine.hpp"

namespace arlab::bench {

enum class Pattern : std::uint8_t { round_trip, exchange, fan_out, fan_in };

/// Returns the time of the pattern in microseconds on a crossbar of the machine's ports.
double pattern_us(Pattern pattern, Bytes bytes, const simulator::Machine& machine);

}  // namespace arlab::bench
