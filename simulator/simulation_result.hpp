// SimulationResult: when each rank finishes, what was sent, and which engine computed it.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/time.hpp"

namespace arlab::simulator {

/// How the times were computed. All engines give equal times where more than one applies.
enum class EngineKind : std::uint8_t {
  events,    ///< every event in order of time, from one queue
  sweep,     ///< rank after rank and round after round, without a queue of all events
  symmetry,  ///< one rank of each class of ranks that behave alike, by a sweep or by events
  periods,   ///< events, without those of rounds that repeat the rounds before them
};

constexpr std::string_view name(EngineKind kind) {
  constexpr std::string_view kNames[] = {"events", "sweep", "symmetry", "periods"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct SimulationResult {
  Time finish{};                ///< when the last rank finishes
  std::vector<Time> finish_of;  ///< of each rank
  Cost sent;                    ///< by all ranks; rounds: the longest chain
  Count events = 0;             ///< handled by the engine
  EngineKind engine = EngineKind::events;
  bool stopped = false;  ///< it ends after SimulateOptions::latest; the times are not complete
};

}  // namespace arlab::simulator
