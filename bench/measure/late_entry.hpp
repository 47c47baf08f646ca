// split_late_entry: the time of a collective without the time for which ranks waited for the last.
#pragma once

#include <span>
#include <vector>

#include "bench/results/run_body.hpp"
#include "collectives/communicator.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::bench {

/// When one rank entered and left each run, in the order of the runs.
using Intervals = std::vector<collectives::CheckedRun::Interval>;

/// Splits runs of `repeats` collectives back to back; only the first of them can start late.
/// Expects as many intervals of every rank, and at least one.
LateEntry split_late_entry(std::span<const Intervals> by_rank, int repeats);

/// Returns the intervals of all ranks, by rank, on rank 0, and nothing elsewhere. All ranks call it
/// together, with as many intervals.
std::vector<Intervals> gather_intervals(collectives::Communicator& communicator,
                                        const Intervals& mine);

}  // namespace arlab::bench
