// simulate: runs the programs of all ranks against a network model, in simulated time.
//
// There is one actor per rank and lane. It starts its next round when the last one is done: its
// sends have left, its receives are complete, then its reductions have run in listed order. Sends
// of a round leave in listed order. Messages that arrive before their receive is posted wait for
// it; on a synchronous network they do not leave before it is posted. No global state: one call is
// one simulation.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "simulator/network.hpp"
#include "simulator/trace.hpp"

namespace arlab::simulator {

struct SimulationResult {
  Time finish{};                ///< when the last rank finishes
  std::vector<Time> finish_of;  ///< of each rank
  Cost sent;                    ///< by all ranks; rounds: the longest chain
  Count events = 0;             ///< handled by the engine
};

struct SimulateOptions {
  int segments = 1;
  Trace* trace = nullptr;                             ///< filled if given
  std::function<void(Count messages)> progress = {};  ///< called periodically if given
};

/// Simulates the algorithm on `network`, which must be new (all ports free) and have problem.ranks
/// ranks. Throws Error(usage) if the algorithm does not support the problem, Error(check) if its
/// programs deadlock or leave messages unreceived.
SimulationResult simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                          Network& network, const SimulateOptions& options = {});

}  // namespace arlab::simulator
