// simulate: runs the programs of all ranks against a network model, in simulated time.
//
// There is one actor per rank and lane. It starts its next round when the last one is done: its
// sends have left, its receives are complete, then its reductions have run in listed order. Sends
// of a round leave in listed order. Messages that arrive before their receive is posted wait for
// it; on a synchronous network they do not leave before it is posted. No global state: one call is
// one simulation.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "algorithms/algorithm.hpp"
#include "simulator/network.hpp"
#include "simulator/simulation_result.hpp"
#include "simulator/trace.hpp"

namespace arlab::simulator {

struct SimulateOptions {
  int segments = 1;
  // Faster engines, where they apply. A trace and progress need all events.
  bool symmetry = true;  ///< may simulate one rank of each class of ranks that behave alike
  bool sweep = true;     ///< may compute the times without all events, or with some of them
  /// The simulation may stop once it is known to end after this time.
  Time latest = kNever;
  /// When each rank begins; empty: at once. Only events take it into account.
  std::span<const Time> starts = {};
  Trace* trace = nullptr;                             ///< filled if given
  std::function<void(Count messages)> progress = {};  ///< called periodically if given
};

/// Returns which ranks behave alike where the network maps their messages onto one another; nothing
/// if they differ, as with chunks of different sizes.
std::optional<RankSymmetry> symmetry_of(const Algorithm& algorithm, const Problem& problem,
                                        int segments = 1);

/// Returns a network of classes, on which the events of one rank of each give the times of all;
/// nothing without links, or if the network maps no routes onto one another.
std::optional<ClassNetwork> classes_on_links(const Algorithm& algorithm, const Problem& problem,
                                             int segments, Network& network);

/// Simulates one rank of each class of ranks that behave alike. Returns nothing if that does not
/// apply: without symmetry, where no sweep applies (sweep/sweep.hpp) to a network without links, as
/// with several lanes, and where a network with links does not map its routes onto one another.
std::optional<SimulationResult> simulate_classes(const Algorithm& algorithm, const Problem& problem,
                                                 Bytes element_size, Network& network,
                                                 const SimulateOptions& options = {});

/// Simulates the algorithm on `network`, which must be new (all ports free) and have problem.ranks
/// ranks. Throws Error(usage) if the algorithm does not support the problem, Error(check) if its
/// programs deadlock or leave messages unreceived.
SimulationResult simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                          Network& network, const SimulateOptions& options = {});

}  // namespace arlab::simulator
