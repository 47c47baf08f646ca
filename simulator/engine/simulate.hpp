// simulate: runs the programs of all ranks against a network model, in simulated time.
//
// An actor for each rank and lane pulls its next round when its last is done: its sends have left,
// its receives are in, and then its reductions, in listed order. Sends of a round go out in listed
// order. Messages that arrive before their receive is posted wait for it; on a synchronous network
// they do not even leave before. No global state: one call is one simulation.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "simulator/network.hpp"
#include "simulator/trace.hpp"

namespace arlab::simulator {

struct SimulationResult {
  Time finish{};              ///< when the last rank is done
  std::vector<Time> finish_of;  ///< of each rank
  Cost sent;                    ///< by all ranks; rounds: the longest chain
  Count events = 0;             ///< handled by the engine
};

struct SimulateOptions {
  int segments = 1;
  Trace* trace = nullptr;                             ///< filled if given
  std::function<void(Count messages)> progress = {};  ///< called now and then if given
};

/// The time the algorithm takes on `network`, which must be fresh (all ports free) and have
/// problem.ranks ranks. Throws Error(usage) if the algorithm does not support the problem,
/// Error(check) if its programs never end or leave messages unreceived.
SimulationResult simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                          Network& network, const SimulateOptions& options = {});

}  // namespace arlab::simulator
