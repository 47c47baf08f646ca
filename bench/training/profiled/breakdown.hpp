// What `plan --breakdown` prints: the parts of each step, for several algorithms, schedulers and
// compressors.
#pragma once

#include "bench/training/profiled/plan_options.hpp"

namespace arlab::bench {

void run_breakdown(const PlanOptions& options);

}  // namespace arlab::bench
