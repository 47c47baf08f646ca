#include "bench/training/train/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/sweep/output.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"

namespace arlab::bench {
namespace {

double mean(double sum, Count n) { return n > 0 ? sum / static_cast<double>(n) : 0; }

double rate(const training::StepCosts& e) {
  return e.seconds > 0 ? static_cast<double>(e.samples) / e.seconds : 0;
}

std::string per_step(double seconds, const training::StepCosts& e) {
  return e.steps > 0 ? show_time(seconds * 1e6 / static_cast<double>(e.steps)) : "";
}

// Mean over the ranks.
std::string bytes_each_step(const training::StepCosts& e, Rank ranks) {
  return e.steps > 0 && e.bytes_sent > 0 ? show_bytes(e.bytes_sent / e.steps / ranks) : "";
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "";
}

Bytes gradient_bytes(const TrainResult& r) {
  return r.config.architecture->parameters * static_cast<Bytes>(sizeof(float));
}

std::string route_text(const TrainResult& r) {
  if (r.config.ranks == 1) return "";
  return training::find_strategy(r.config.learning.strategy).direct ? "direct" : r.route;
}

// Of the rates of a row and of the row with one worker; 0 without one.
double speed_up(const TrainResult& result, const std::vector<TrainResult>& all) {
  for (const TrainResult& one : all)
    if (one.config.architecture == result.config.architecture && one.config.workers == 1 &&
        result.config.workers > 1 && rate(timed(one)) > 0)
      return rate(timed(result)) / rate(timed(one));
  return 0;
}

// Images per second by rank 0's steps.
std::string interval(const TrainResult& r) {
  const auto of_step = mean_interval(r.step_us);
  if (!of_step || r.config.backend->placement == collectives::Placement::emulated) return "";
  const training::StepCosts its = timed(r);
  const double images = 1e6 * mean(static_cast<double>(its.samples), its.steps);
  return show_rate(images / of_step->high) + "-" + show_rate(images / of_step->low);
}

// The number that was written, such as 0.8, not the float's 0.800000011920929.
double as_written(float x) { return std::stod(fmt::format("{}", x)); }

TrainBody::Epoch costs_of(const training::StepCosts& e) {
  return {.steps = e.steps,
          .samples = e.samples,
          .elapsed_us = 1e6 * e.seconds,
          .compute_us = 1e6 * e.compute,
          .input_us = 1e6 * e.input,
          .exposed_us = 1e6 * e.exposed,
          .communication_us = 1e6 * e.communication,
          .codec_us = 1e6 * e.codec,
          .images_per_s = rate(e),
          .bytes_sent = e.bytes_sent};
}

TrainBody::Epoch epoch_of(const training::EpochReport& e) {
  TrainBody::Epoch epoch = costs_of(e);
  epoch.number = e.epoch;
  epoch.loss = mean(e.train.loss, e.train.samples);
  epoch.accuracy = accuracy(e.train);
  if (e.validation.samples > 0) {
    epoch.validation_loss = mean(e.validation.loss, e.validation.samples);
    epoch.validation_accuracy = accuracy(e.validation);
  }
  return epoch;
}

TrainBody::Emulation emulation_of(const TrainConfig& c, const VirtualRun& world) {
  const VirtualNetwork& network = c.network;
  const training::CodecCost codec = c.learning.options.gradients.codec;
  TrainBody::Emulation e{
      .multiply_adds_per_s = c.learning.speed,
      .slowdown = world.slowdown.size() == 1 ? world.slowdown_on(c.workers) : world.slowdown,
      .jitter = world.jitter,
      .encode_ns = 1e9 * codec.encode,
      .decode_ns = 1e9 * codec.decode};
  if (network.bandwidth > 0) {
    e.bandwidth_gbit_per_s = network.bandwidth * 8e-9;
    e.latency_us = microseconds(network.latency);
  }
  if (!network.topology.empty()) e.topology = network.topology;
  return e;
}

}  // namespace

double accuracy(const training::BatchResult& o) {
  return mean(static_cast<double>(o.correct), o.samples);
}

training::EpochReport total(const TrainResult& result) {
  training::EpochReport all;
  for (const training::EpochReport& e : result.epochs) {
    all += e;
    all.train += e.train;
    all.timed += e.timed;
  }
  if (!result.epochs.empty()) all.validation = result.epochs.back().validation;
  if (result.evaluation) all.validation = *result.evaluation;
  return all;
}

training::StepCosts timed(const TrainResult& result) { return total(result).timed; }

bool diverged(const TrainResult& r) {
  if (r.epochs.empty()) return false;
  constexpr double kGuesses = 10;  // times the loss of guessing
  const training::EpochReport& last = r.epochs.back();
  const double loss = mean(last.train.loss, last.train.samples);
  const double limit = kGuesses * std::log(static_cast<double>(r.config.architecture->classes));
  return !(loss <= limit) || !std::isfinite(last.validation.loss);
}

std::string explain_divergence(const std::vector<TrainResult>& results) {
  std::string which;
  std::size_t count = 0;
  for (const TrainResult& r : results) {
    if (!diverged(r)) continue;
    ++count;
    const training::EpochReport& last = r.epochs.back();
    which += fmt::format("{}{} on {}{}: loss {:.3g}", which.empty() ? "" : "; ",
                         r.config.architecture->name, show_plural(r.config.workers, "worker"),
                         r.config.learning.options.gradients.compressor
                             ? " with " + compressor_label(r.config.learning.options.gradients)
                             : "",
                         mean(last.train.loss, last.train.samples));
  }
  if (count == 0) return "";
  return fmt::format(
      "{} diverged ({}): use a smaller --lr{}",
      results.size() == 1 ? "training" : fmt::format("{} of {} trainings", count, results.size()),
      which, which.find(" with ") == which.npos ? "" : ", or another compressor");
}

std::string local_batch(const TrainConfig& c) {
  const Count least = c.batch / c.workers;
  return show_count(least) +
         (c.batch % c.workers == 0 ? "" : fmt::format(" to {}", show_count(least + 1)));
}

std::string train_table(const std::vector<TrainResult>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const TrainResult& r : results) {
    const training::EpochReport all = total(r);
    const training::StepCosts& its = all.timed;
    const double faster = speed_up(r, results);
    const training::GradientOptions& gradients = r.config.learning.options.gradients;
    rows.push_back({std::string(r.config.architecture->name),
                    std::to_string(r.config.workers),
                    show_count(r.config.batch),
                    local_batch(r.config),
                    r.config.learning.strategy,
                    route_text(r),
                    scheduler_text(gradients),
                    r.place_of_codes.empty()
                        ? compressor_label(gradients)
                        : fmt::format("{} on {}", compressor_label(gradients), r.place_of_codes),
                    r.gradients,
                    r.epochs.empty() ? ""
                                     : fmt::format("{:.4f}", mean(r.epochs.back().train.loss,
                                                                  r.epochs.back().train.samples)),
                    r.epochs.empty() ? "" : percent(accuracy(r.epochs.back().train), 1),
                    all.validation.samples > 0 ? percent(accuracy(all.validation), 1) : "",
                    its.steps > 0 ? show_rate(rate(its)) : "",
                    interval(r),
                    faster > 0 ? fmt::format("{:.2f}", faster) : "",
                    faster > 0 ? percent(faster, r.config.workers) : "",
                    per_step(its.seconds, its),
                    per_step(its.compute, its),
                    per_step(its.input, its),
                    per_step(its.communication, its),
                    its.codec > 0 ? per_step(its.codec, its) : "",
                    per_step(its.exposed, its),
                    bytes_each_step(its, r.config.ranks)});
  }
  return compact(
      {"model",     "workers",       "batch",     "local batch", "strategy", "algorithm",
       "scheduler", "compressor",    "gradients", "loss",        "accuracy", "validation",
       "images/s",  "95% interval",  "speed-up",  "efficiency",  "step",     "compute",
       "input",     "communication", "codec",     "exposed",     "bytes"},
      rows);
}

std::string explain(const TrainResult& r) {
  const training::EpochReport all = total(r);
  if (all.steps == 0)
    return fmt::format(
        "Nothing was left to train: the checkpoint already has {}. It was evaluated on the "
        "validation data. Raise --epochs or --steps to train further.\n",
        show_plural(r.steps_before, "step"));
  if (r.config.ranks == 1) return "";
  const training::StepCosts& its = all.timed;
  const double hidden = std::max(0.0, its.communication - its.exposed);
  const std::string coded = compressor_label(r.config.learning.options.gradients);
  std::string text = fmt::format(
      "Exchanging {} of gradients ({}) took {} per step of {}: {} on {}, {}{}. The backward pass "
      "hid {} of it; {} ({} of the step) was exposed.\n",
      show_bytes(gradient_bytes(r)), route_text(r), per_step(its.communication, its),
      show_plural((all.train.samples + all.steps / 2) / all.steps, "sample"),
      r.config.architecture->name, show_plural(r.config.workers, "worker"),
      r.config.learning.strategy,
      coded == "none" ? ""
                      : fmt::format(", {}, which sends {} per step and rank", coded,
                                    bytes_each_step(its, r.config.ranks)),
      percent(hidden, its.communication), per_step(its.exposed, its),
      percent(its.exposed, its.seconds));
  if (r.staleness.empty()) return text;
  text += "Staleness of updates:";
  for (const auto& [old, updates] : r.staleness)
    text += fmt::format(" {}: {}{}", old, with_commas(updates),
                        old == r.staleness.rbegin()->first ? "\n" : ",");
  return text;
}

Record train_record(const TrainResult& r, const TrainOptions& options) {
  const TrainConfig& c = r.config;
  const training::GradientOptions& gradients = c.learning.options.gradients;
  TrainBody body{.backend = std::string(c.backend->name),
                 .model = std::string(c.architecture->name),
                 .strategy = training::short_text(training::find_strategy(c.learning.strategy),
                                            c.learning.options.values),
                 .data = options.data,
                 .optimizer = std::string(name(c.learning.optimizer.kind)),
                 .scheduler = scheduler_text(gradients),
                 .workers = c.workers,
                 .servers = c.ranks - c.workers,
                 .batch_size = c.batch,
                 .seed = options.seed,
                 .learning_rate = c.learning.rate.base,
                 .rate_schedule = training::to_string(c.learning.rate),
                 .weight_decay = as_written(c.learning.optimizer.weight_decay),
                 .shuffle = options.feed.shuffle,
                 .drop_remainder = options.feed.drop_remainder,
                 .overlap = c.learning.overlap,
                 .staleness = r.staleness};
  if (c.learning.optimizer.kind == training::OptimizerKind::momentum)
    body.momentum = as_written(c.learning.optimizer.momentum);
  if (r.input_threads > 0) body.input_threads = r.input_threads;
  if (gradients.compressor) body.compressor = compressor_text(gradients);
  if (!r.codes.way.empty()) body.aggregation = r.codes.way;
  if (!r.gradients.empty()) body.gradients = r.gradients;
  if (c.backend->placement == collectives::Placement::emulated)
    body.emulation = emulation_of(c, options.world());
  if (!r.step_us.empty()) body.step_time_us = summarize(r.step_us);
  for (const training::EpochReport& e : r.epochs) body.epochs.push_back(epoch_of(e));
  body.timed = costs_of(timed(r));
  body.warmup_steps = r.left_out;

  Config config;
  for (const Algorithm& a : algorithms())
    if (a.name == r.route) config.algorithm = &a;
  config.problem = {.ranks = c.ranks, .elements = c.architecture->parameters};
  config.segments = c.learning.segments;
  Record record = record_of(std::move(body), config);
  if (!config.algorithm) {
    record.algorithm = record.label = r.route;
    record.color = "#000000";
    record.family = "native";
  }
  if (r.epochs.empty())
    record.skipped = fmt::format("nothing was left to train: the checkpoint has {}",
                                 show_plural(r.steps_before, "step"));
  record.claimed.reset();  // it is the cost of one exchange, and a run has many
  return record;
}

}  // namespace arlab::bench
