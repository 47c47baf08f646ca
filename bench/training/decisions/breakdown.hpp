// What `plan --breakdown` prints: the parts of each step, for several algorithms, schedulers and
// compressors.
#pragma once

#include "bench/training/profiled/plan_options.hpp"

namespace arlab::bench {

struct Caller;

/// Hands the rows to the caller, or prints them if there is none; writes the files that the options
/// name.
void run_breakdown(const PlanOptions& options, Caller* caller);

}  // namespace arlab::bench
