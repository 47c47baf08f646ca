// RefitSteps: steps of a training on the refits of a calibrated machine, for intervals.
#pragma once

#include "bench/study/intervals/refits.hpp"
#include "bench/training/profiled/scale_network.hpp"
#include "bench/training/profiled/scale_options.hpp"
#include "bench/training/profiled/scale_row.hpp"

namespace arlab::bench {

/// What the model of the network lacks counts as far as communication is exposed.
class RefitSteps {
 public:
  /// All must outlive this. The network must have a spread.
  RefitSteps(const ScaleOptions& options, const training::ModelProfile& profile,
             const ScaleNetwork& network)
      : options_(options), profile_(profile), network_(network) {}

  /// Returns the interval of the plan's step, which `row` holds.
  StepInterval interval(const training::TrainingPlan& plan, const ScaleRow& row) const;

  /// Whether the ratio of the steps of both plans is 1 within its interval. `row`: of one of them.
  bool is_tie(const training::TrainingPlan& a, const training::TrainingPlan& b,
              const ScaleRow& row) const;

 private:
  RefittedTime times_of(const training::TrainingPlan& plan, const ScaleRow& row) const;
  double exposed_lack(const training::TrainingPlan& plan, const ScaleRow& row) const;

  const ScaleOptions& options_;
  const training::ModelProfile& profile_;
  const ScaleNetwork& network_;
};

}  // namespace arlab::bench
