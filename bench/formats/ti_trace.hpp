// Writes a schedule as a time-independent trace for `smpirun -replay` of SimGrid.
#pragma once

#include <string>

#include "bench/config/config.hpp"

namespace arlab::bench {

/// Returns the trace: one line per action, rank after rank, sizes in bytes. A round is its isends
/// and irecvs in listed order, followed by a waitall. Reductions take no time. Throws Error(usage)
/// if a rank has several lanes, which an SMPI process cannot run concurrently.
std::string ti_trace(const Config& config);

}  // namespace arlab::bench
