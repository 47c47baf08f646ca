// A schedule as a time-independent trace: what `smpirun -replay` of SimGrid runs.
#pragma once

#include <string>

#include "bench/cli/options.hpp"

namespace arlab::bench {

/// One line an action, ranks one after the other; sizes in bytes; a round is its isends and irecvs
/// in listed order and a waitall. Reductions take no time. Throws Error(usage) where a rank has
/// several lanes, which a process of SMPI cannot run side by side.
std::string ti_trace(const Config& config);

}  // namespace arlab::bench
