// Sweep: the times of an algorithm on a network without shared links, rank after rank and round
// after round. There is no queue of all events, and no message is looked up.
//
// If each rank sends and receives one message per round, all ranks take the same round together
// (exchange_sweep.cpp). So they do on the links of a topology if no message ever shares a link with
// another one, as in a ring (path_sweep.cpp).
//
// On a network of exclusive ports (alpha_beta) a message begins when both of its rounds have, and a
// rank has at most one message each way per round. The times of all rounds are then a recurrence of
// maxima and sums that can be evaluated in any order (port_sweep.cpp).
//
// Where processors overlap with the network (loggops), no message arrives sooner than o + L after
// it was sent. So within a window of that length ranks do not influence one another, and each rank
// handles its own few events alone (window_sweep.cpp). Ties that only the order of all events could
// break end the sweep.
#pragma once

#include <optional>

#include "simulator/network.hpp"
#include "simulator/simulation_result.hpp"
#include "simulator/sweep/compact_rounds.hpp"

namespace arlab::simulator {

/// Returns what the event engine would, without `events`, and with the finish of the ranks that
/// stand for all if the rounds have classes. Ranks of a class do the same at the same times,
/// because the times of a sweep do not depend on the order of ranks. Returns nothing where a sweep
/// does not apply: long rounds, messages above the eager limit, ties, and programs that deadlock.
/// Stops when a rank is known to end after `latest`.
std::optional<SimulationResult> sweep(CompactRounds& rounds, Bytes element_size,
                                      const UniformCosts& costs, Time latest = kNever);

/// Returns what the event engine would, without `events`. Returns nothing where a round has other
/// messages, where messages above the eager limit differ in size, or where a message arrives before
/// its receiver has sent its own. Stops when a rank is known to end after `latest`. With a
/// symmetry, the finish is that of the ranks that stand for all.
std::optional<SimulationResult> exchange_sweep(const Algorithm& algorithm, const Problem& problem,
                                               Bytes element_size, const UniformCosts& costs,
                                               Time latest = kNever,
                                               std::optional<RankSymmetry> symmetry = {});

/// The same where messages take links (fluid). Returns nothing where two of them share a link at a
/// time.
std::optional<SimulationResult> path_sweep(const Algorithm& algorithm, const Problem& problem,
                                           Bytes element_size, Network& network);

std::optional<SimulationResult> port_sweep(CompactRounds& rounds, Bytes element_size,
                                           const UniformCosts& costs, Time latest);
std::optional<SimulationResult> window_sweep(CompactRounds& rounds, Bytes element_size,
                                             const UniformCosts& costs, Time latest);

}  // namespace arlab::simulator
