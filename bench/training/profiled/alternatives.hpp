// Alternatives: what other settings of a simulated training would save.
#pragma once

#include "bench/training/profiled/refit_steps.hpp"
#include "bench/training/profiled/scale_row.hpp"

namespace arlab::bench {

/// Returns, each with the part of the step that it saves or costs: a network of twice the
/// bandwidth, the best scheduler, the best algorithm, strategy diloco, and fp16 where it makes
/// gradients smaller. `row` is what the plan of the profile takes with one rank for all. `refits`:
/// null without intervals; else the best scheduler and algorithm are called a tie where they are
/// one.
std::vector<Alternative> alternatives_of(const ScaleRow& row, const training::TrainingPlan& plan,
                                         const training::MakeNetwork& network,
                                         const ScaleOptions& options,
                                         const training::ModelProfile& profile,
                                         const RefitSteps* refits = nullptr);

}  // namespace arlab::bench
