#include "bench/training/profiled/refit_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/formats/machine_file.hpp"
#include "bench/study/intervals/interval.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/fit/intervals.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::bench {
namespace {

double exposed_part(const ScaleRow& row) {
  return std::max(0.0, row.step - row.computation) / row.step;
}

// Of a collective, in the mean.
double bytes_per_collective(const training::ModelProfile& profile, const ScaleRow& row) {
  return static_cast<double>(profile.bytes()) / std::max(1.0, row.steps.collectives);
}

}  // namespace

double RefitSteps::exposed_lack(const training::TrainingPlan& plan, const ScaleRow& row) const {
  return exposed_part(row) *
         lack_at(*network_.spread(), plan.ranks, bytes_per_collective(profile_, row));
}

RefittedTime RefitSteps::times_of(const training::TrainingPlan& plan, const ScaleRow& row) const {
  const auto step_on = [&](const simulator::Machine* machine) {
    training::TrainingPlan there = plan;
    const training::MakeNetwork make = options_.place(there, profile_, network_, machine);
    return training::simulate_training(there, make, training::Ranks::one_for_all).step();
  };
  RefittedTime times{.us = step_on(nullptr), .lack = exposed_lack(plan, row)};
  for (const simulator::Machine& refit : network_.spread()->refits)
    times.by_refit.push_back(step_on(&refit));
  return times;
}

StepInterval RefitSteps::interval(const training::TrainingPlan& plan, const ScaleRow& row) const {
  const MachineSpread& spread = *network_.spread();
  const RefittedTime times = times_of(plan, row);
  const double others = std::hypot(times.lack, exposed_part(row) * spread.between_jobs);
  const PredictionInterval found =
      prediction_intervals({row.step}, {log_deviation(times.by_refit)}, others)[0];
  StepInterval interval{.low = std::max(found.low_us, std::min(row.step, row.computation)),
                        .high = found.high_us};
  if (plan.ranks > spread.ranks)
    interval.outside = fmt::format("{} ({} were)", show_plural(plan.ranks, "rank"), spread.ranks);
  const double bytes = bytes_per_collective(profile_, row);
  if (bytes > spread.most_bytes)
    interval.outside += fmt::format(
        "{}collectives of {} (messages to {} were)", interval.outside.empty() ? "" : ", ",
        show_bytes(static_cast<Count>(bytes)), show_bytes(static_cast<Count>(spread.most_bytes)));
  return interval;
}

bool RefitSteps::is_tie(const training::TrainingPlan& a, const training::TrainingPlan& b,
                        const ScaleRow& row) const {
  return ratio_interval(times_of(a, row), times_of(b, row)).is_tie();
}

}  // namespace arlab::bench
