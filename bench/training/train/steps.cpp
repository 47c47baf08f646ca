#include "bench/training/train/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"

namespace arlab::bench {
namespace {

Count warm_up_of_codes(const TrainConfig& c) {
  const auto& codes = c.learning.options.gradients.compressor;
  return codes ? training::warm_up_of(*codes) : 0;
}

}  // namespace

training::Sampling training_samples(const TrainOptions& options, const TrainConfig& config,
                                    const training::Dataset& data, Rank rank) {
  training::Sampling sampling{.samples = data.samples,
                              .files = data.files,
                              .global_batch = config.batch,
                              .workers = config.workers,
                              .rank = rank,
                              .seed = options.seed};
  options.feed.apply(sampling);
  return sampling;
}

training::Sampling validation_samples(training::Sampling sampling, const training::Dataset& data) {
  sampling.samples = data.samples;
  sampling.files = data.files;
  sampling.global_batch = std::max<Count>(
      sampling.workers, std::min<Count>(Count{256} * sampling.workers, data.samples));
  sampling.sharding = training::Sharding::data;  // together the workers see each sample once
  sampling.shuffle = sampling.drop_remainder = false;
  return sampling;
}

void check_equal_shares(const training::Sampling& s) {
  if (s.global_batch % s.workers != 0)
    fail(Blame::usage, fmt::format("--compute sync_bn needs equal batches on all workers, and {} "
                                   "samples cannot be divided "
                                   "by {}: use a --batch that is a multiple of the workers",
                                   s.global_batch, s.workers));
  if (s.drop_remainder || s.sharding == training::Sharding::off) return;
  if (s.sharding == training::Sharding::file)
    fail(Blame::usage,
         "--compute sync_bn needs equal batches on all workers, and their files do not end "
         "together: "
         "leave out --input drop_remainder=off, or use sharding=data");
  if (const Count rest = s.samples % s.global_batch; rest % s.workers != 0)
    fail(Blame::usage,
         fmt::format(
             "--compute sync_bn needs equal batches on all workers, and the last {} of {} cannot "
             "be divided by {}: leave out --input drop_remainder=off",
             rest, show_plural(s.samples, "sample"), s.workers));
}

void set_epochs(training::TrainerOptions& learning, const TrainOptions& options,
                Count steps_of_epoch) {
  if (learning.max_steps > learning.epochs * steps_of_epoch && !options.given("--epochs"))
    learning.epochs = (learning.max_steps + steps_of_epoch - 1) / steps_of_epoch;
  learning.rate.epochs = static_cast<double>(last_step(learning, steps_of_epoch)) /
                         static_cast<double>(steps_of_epoch);
  check(learning.rate);
}

Count last_step(const training::TrainerOptions& learning, Count steps_of_epoch) {
  const Count all = learning.epochs * steps_of_epoch;
  return learning.max_steps > 0 ? std::min(all, learning.max_steps) : all;
}

std::string note_on_steps(const training::TrainerOptions& learning, Count steps_of_epoch) {
  const Count last = last_step(learning, steps_of_epoch);
  if (learning.max_steps <= last) return "";
  return fmt::format("{} {} {}, so training stops before step {}: raise --epochs, or leave it out",
                     show_plural(learning.epochs, "epoch"), learning.epochs == 1 ? "has" : "have",
                     show_plural(last, "step"), learning.max_steps);
}

bool learns_with_checkpoints(const TrainConfig& config) {
  const training::StrategyKind& kind = training::find_strategy(config.learning.strategy);
  return training::steps_to_settle(kind, config.learning.options.values) == 0 &&
         (config.workers > 1 || kind.periodic);
}

std::string note_on_checkpoints(const TrainOptions& options, const TrainConfig& config) {
  const Count every = options.policy.every_steps;
  if (options.checkpoint.empty() || every == 0) return "";
  const training::StrategyKind& kind = training::find_strategy(config.learning.strategy);
  if (learns_with_checkpoints(config))
    return fmt::format(
        "at each checkpoint the workers of {} wait for each other and take equal weights, so "
        "--checkpoint every={} changes what they learn",
        kind.name, every);
  const Count steps = training::steps_to_settle(kind, config.learning.options.values);
  if (every % std::max<Count>(steps, 1) == 0) return "";
  return fmt::format(
      "workers of {} have equal weights every {} steps of an epoch, so checkpoints "
      "wait for these steps",
      kind.name, steps);
}

Count steps_left_out(const TrainOptions& options, const TrainConfig& config, Count steps) {
  const bool emulated = config.backend->placement == collectives::Placement::emulated;
  const Count of_ranks = emulated ? 0 : std::min(options.warmup_steps, steps / 2);
  const Count of_codes = warm_up_of_codes(config);
  return of_codes < steps ? std::max(of_ranks, of_codes) : of_ranks;
}

std::string explain_left_out(const TrainResult& r) {
  std::string text;
  if (r.left_out > 0)
    text = fmt::format("Rates and times leave out the first {} of {}{}.\n", r.left_out,
                       show_plural(r.steps_run, "step"),
                       r.left_out < r.warmup_asked
                           ? fmt::format(", not {}, as the run is short", r.warmup_asked)
                           : std::string());
  const Count larger = warm_up_of_codes(r.config);
  if (larger == 0) return text;
  const std::string who = compressor_label(r.config.learning.options.gradients);
  if (r.left_out >= larger)
    return text + fmt::format("{} makes larger codes in these (its warm-up).\n", who);
  return text + fmt::format(
                    "{} makes larger codes in its first {} (its warm-up), so the bytes and times "
                    "of these {} are not what it costs later.\n",
                    who, show_plural(larger, "step"), show_plural(r.steps_run, "step"));
}

std::string explain_input(const TrainResult& r) {
  if (r.input_threads == 0) return "";
  const auto [least, most] = r.input_range;
  return fmt::format(
      "Batches were made by {} per worker{}.\n", show_plural(r.input_threads, "thread"),
      least < most ? fmt::format(", chosen from {} to {} as the run went", least, most)
                   : std::string());
}

void make_samples(const training::Dataset& data, const training::Sampling& sampling, Count first,
                  Count steps) {
  std::vector<float> values(static_cast<std::size_t>(data.shape.values()));
  training::Sampler sampler(sampling);
  const Count of_epoch = sampler.steps();
  const auto make = [&](Count index) { data.sample(index, values); };
  const auto make_all_of = [&](Count step) {
    std::ranges::for_each(sampler.share({step / of_epoch, step % of_epoch}).indices, make);
  };
  for (Count step = first; step < first + std::min(steps, of_epoch); ++step) make_all_of(step);
  if (steps <= of_epoch) return;
  const Count own = sampling.samples * sampling.rank / sampling.workers;
  for (Count i = 0; i < sampling.samples; ++i) make((own + i) % sampling.samples);
}

}  // namespace arlab::bench
