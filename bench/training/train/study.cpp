#include "bench/training/train/study.hpp"

#include <fmt/format.h>

#include <limits>

#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/train/report.hpp"

namespace arlab::bench {
namespace {

RunSummary summary_of(const TrainResult& r) {
  const training::GradientOptions& gradients = r.config.learning.options.gradients;
  const training::EpochReport all = total(r);
  RunSummary run;
  run.model = r.config.architecture->name;
  run.workers = r.config.workers;
  run.batch =
      fmt::format("batch {}, {} per worker", show_count(r.config.batch), local_batch(r.config));
  run.strategy = r.config.learning.strategy;
  run.scheduler = scheduler_text(gradients);
  if (r.route != training::find_strategy(r.config.learning.strategy).route)
    run.scheduler += " by " + r.route;
  run.compressor = compressor_label(gradients);
  run.aggregation = r.codes.way;
  run.bandwidth = r.config.network.bandwidth;
  run.latency = r.config.network.topology.empty()
                    ? show_picoseconds(picoseconds(r.config.network.latency))
                    : r.config.network.topology;
  run.accuracy = accuracy(all.validation);
  run.steps = all.steps;
  if (all.train.samples > 0)
    run.loss = r.epochs.back().train.loss / static_cast<double>(r.epochs.back().train.samples);
  if (diverged(r)) run.loss = std::numeric_limits<double>::quiet_NaN();
  const training::StepCosts& its = all.timed;
  if (its.steps == 0) return run;
  const auto steps = static_cast<double>(its.steps);
  run.bytes = static_cast<double>(its.bytes_sent) / steps / r.config.ranks;
  run.seconds = its.seconds / steps;
  run.exposed = its.exposed / steps;
  run.codec = its.codec / steps;
  double seconds = 0;
  for (const training::EpochReport& e : r.epochs) {
    seconds += e.seconds;
    run.curve.push_back({seconds, accuracy(e.validation)});
  }
  return run;
}

}  // namespace

std::vector<RunSummary> summaries_of(const std::vector<TrainResult>& results) {
  std::vector<RunSummary> all;
  for (const TrainResult& r : results) all.push_back(summary_of(r));
  return all;
}

}  // namespace arlab::bench
