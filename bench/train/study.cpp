#include "bench/train/study.hpp"

#include "bench/cli/units.hpp"
#include "bench/train/gradient_options.hpp"
#include "bench/train/report.hpp"

namespace arlab::bench {
namespace {

Trial trial_of(const TrainResult& r) {
  const training::GradientOptions& gradients = r.config.learning.options.gradients;
  const training::EpochReport all = total(r);
  Trial t;
  t.model = r.config.architecture->name;
  t.workers = r.config.workers;
  t.strategy = r.config.learning.strategy;
  t.scheduler = scheduler_text(gradients);
  if (r.route != "ring") t.scheduler += " by " + r.route;
  t.compressor = compressor_label(gradients);
  t.aggregation = r.codes.way;
  t.bandwidth = r.config.network.bandwidth;
  t.latency = r.config.network.topology.empty()
                  ? show_picoseconds(picoseconds(r.config.network.latency))
                  : r.config.network.topology;
  t.accuracy = accuracy(all.validation);
  t.steps = all.steps;
  if (all.train.samples > 0)
    t.loss = r.epochs.back().train.loss / static_cast<double>(r.epochs.back().train.samples);
  if (all.steps == 0) return t;
  const auto steps = static_cast<double>(all.steps);
  t.bytes = static_cast<double>(all.bytes_sent) / steps / r.config.ranks;
  t.seconds = all.seconds / steps;
  t.exposed = all.exposed / steps;
  t.codec = all.codec / steps;
  double seconds = 0;
  for (const training::EpochReport& e : r.epochs) {
    seconds += e.seconds;
    t.curve.push_back({seconds, accuracy(e.validation)});
  }
  return t;
}

}  // namespace

std::vector<Trial> trials_of(const std::vector<TrainResult>& results) {
  std::vector<Trial> all;
  for (const TrainResult& r : results) all.push_back(trial_of(r));
  return all;
}

}  // namespace arlab::bench
