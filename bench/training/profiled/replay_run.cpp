#include "bench/training/profiled/replay_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "training/data/synthetic.hpp"
#include "training/profiles/profile_replica.hpp"
#include "training/schedulers/scheduler.hpp"
#include "training/trainer/trainer.hpp"

namespace arlab::bench {
namespace {

double slowdown_of(const ReplayConfig& config, Rank rank) {
  const auto r = static_cast<std::size_t>(rank);
  return r < config.slowdown.size() ? config.slowdown[r] : 1;
}

double total(const std::vector<training::PassTime>& passes) {
  double all = 0;
  for (const training::PassTime& p : passes) all += p.forward + p.backward;
  return all;
}

// The ranks that share one copy of the optimizer's state, each of which updates a part.
Rank ranks_per_copy(collectives::Communicator& c, const training::TrainerOptions& learning) {
  const training::StrategyKind& kind = training::find_strategy(learning.strategy);
  if (!kind.sharded) return 1;
  if (!kind.grouped) return c.ranks();
  if (learning.route_options.group_size > 0) return learning.route_options.group_size;
  const auto groups = collectives::groups_by_machine(c);
  return groups ? std::max<Rank>(1, groups->even_size()) : 1;
}

// Sizes of bundles are those of the profile's gradients, which are float32 here where they are
// encoded.
void scale_bundles(training::GradientOptions& gradients, Bytes gradient_bytes) {
  const training::SchedulerKind& kind = training::find_scheduler(gradients.scheduler);
  gradients.scheduling =
      with_defaults(kind.parameters, gradients.scheduling, "scheduler " + gradients.scheduler);
  const double factor = static_cast<double>(sizeof(float)) / static_cast<double>(gradient_bytes);
  for (const Parameter& p : kind.parameters)
    if (double& value = gradients.scheduling.find(p.name)->second; p.unit == Parameter::Unit::bytes)
      value = std::max(p.min, value * factor);
}

// The first of the steps that the results are means of: the second half, or whole intervals if the
// strategy communicates every few steps.
Count first_counted(const ReplayConfig& config) {
  const training::TrainerOptions& learning = config.learning;
  const training::StrategyKind& kind = training::find_strategy(learning.strategy);
  const Count all = config.steps, half = all - all / 2;
  const Count every =
      kind.periodic ? training::parameter_of(kind, learning.options.values, "every", 1) : 1;
  if (every <= half) return all - half / every * every;
  return every <= all ? all - every : all - half;
}

// What this rank saw of the steps.
struct Steps {
  std::vector<training::StepReport> all;
  std::map<Count, Count> sent;  // bytes of collectives, by step: some end after their step

  // The mean time from the begin of the first step that counts to that of the last one.
  double period(std::size_t first) const {
    return (all.back().begin - all[first].begin) / static_cast<double>(all.size() - 1 - first);
  }

  // The mean of one part of those steps.
  double mean(double training::StepReport::*part, std::size_t first) const {
    double sum = 0;
    for (std::size_t s = first; s + 1 < all.size(); ++s) sum += all[s].*part;
    return sum / static_cast<double>(all.size() - 1 - first);
  }

  // `direct`: the strategy's messages are no collectives.
  Count bytes(Count first, bool direct) const {
    Count bytes = 0;
    for (Count s = first; s + 1 < static_cast<Count>(all.size()); ++s)
      if (direct)
        bytes += all[static_cast<std::size_t>(s)].bytes_sent;
      else if (const auto found = sent.find(s); found != sent.end())
        bytes += found->second;
    return bytes;
  }
};

// Returns the steps per second of all workers, each by its own clock if they need not wait for each
// other. All ranks call it together.
double rate_of(collectives::Communicator& c, const ReplayConfig& config, double own_period) {
  constexpr double kUnit = 1e-9;  // communicators add whole numbers
  const training::StrategyKind& kind = training::find_strategy(config.learning.strategy);
  if (!kind.direct || kind.synchronous) return config.workers / own_period;
  return kUnit * static_cast<double>(c.sum(std::llround(1 / (own_period * kUnit))));
}

Rank slowest_worker(const ReplayConfig& config) {
  Rank slowest = 0;
  for (Rank w = 1; w < config.workers; ++w)
    if (slowdown_of(config, w) > slowdown_of(config, slowest)) slowest = w;
  return slowest;
}

bool waits_for_none(const training::StrategyKind& kind) {
  return kind.has_servers && !kind.synchronous;
}

// Returns the mean over the steps of all workers: a fast one has more of them if it need not wait.
// `own_rate`: steps per second of this one. All ranks call it together.
double mean_over_steps(collectives::Communicator& c, double value, double own_rate, double rate) {
  constexpr double kUnit = 1e-12;  // communicators add whole numbers
  const double part = own_rate > 0 ? value * own_rate : 0;
  return kUnit * static_cast<double>(c.sum(std::llround(part / kUnit))) / rate;
}

// Sets the parts of the step. Waiting for the passes of a slower worker is computation.
// Communication and codes are those of the slowest worker, which waits for no other's passes, and
// codes also of the busiest server; where no worker waits for another, means. All ranks call it
// together.
void fill_parts(ReplayResult& result, collectives::Communicator& c, const Steps& steps,
                std::size_t first, double own_period, double passes) {
  const ReplayConfig& config = result.config;
  const training::StrategyKind& kind = training::find_strategy(config.learning.strategy);
  const double exposed = steps.mean(&training::StepReport::exposed, first);
  const double communication = steps.mean(&training::StepReport::communication, first);
  const double codec = steps.mean(&training::StepReport::codec, first);
  const bool is_worker = c.rank() < config.workers;
  const double own_rate = is_worker ? 1 / own_period : 0;
  const auto mean = [&](double value) { return mean_over_steps(c, value, own_rate, result.rate); };
  const auto of = [&](bool is_it, double value) { return c.max(is_it ? value : 0); };
  const Rank slowest = slowest_worker(config);
  const bool is_slowest = c.rank() == slowest, apart = waits_for_none(kind);
  const double computed = passes * slowdown_of(config, c.rank());
  const bool by_rank_0 = !kind.direct || kind.synchronous;
  const double mean_exposed = by_rank_0 ? of(c.rank() == 0, exposed) : mean(exposed);
  const double mean_computed = by_rank_0 ? of(c.rank() == 0, computed) : mean(computed);
  result.compute = apart ? mean_computed : passes * slowdown_of(config, slowest);
  result.exposed = std::max(0.0, mean_exposed - (result.compute - mean_computed));
  result.communication = apart ? mean(communication) : of(is_slowest, communication);
  result.codec = (apart ? mean(codec) : of(is_slowest, codec)) + of(!is_worker, codec);
}

}  // namespace

double ReplayResult::samples_per_second() const {
  return static_cast<double>(config.profile->batch) * rate;
}

ReplayResult replay(collectives::Executor& executor, const ReplayConfig& config) {
  collectives::Communicator& c = executor.control();
  training::TrainerOptions learning = config.learning;
  learning.route_options.executor = &executor;
  learning.optimizer.kind = training::OptimizerOptions::Kind::none;
  training::ModelProfile profile = *config.profile;
  profile.optimizer /= ranks_per_copy(c, learning);
  learning.passes = training::passes_of(profile, slowdown_of(config, c.rank()));
  learning.check_every = 0;
  training::GradientOptions& gradients = learning.options.gradients;
  const training::CompressorKind* codes = nullptr;
  if (gradients.compressor) codes = gradients.compressor->kind;
  gradients.codec.encode *= slowdown_of(config, c.rank());
  gradients.codec.decode *= slowdown_of(config, c.rank());
  if (codes && profile.gradient_bytes != sizeof(float))
    scale_bundles(gradients, profile.gradient_bytes);
  training::Trainer trainer(c, learning, [&](const training::SumOverWorkers&) {
    return std::make_unique<training::ProfileReplica>(*config.profile, codes);
  });
  // One sample per worker and step, which the replica ignores. The step after the last one shows
  // when that ended.
  const training::Dataset data = training::synthetic(
      {.shape = {1, 8, 8}, .samples = Count{config.workers} * (config.steps + 1)});
  std::optional<training::Pipeline> feed;
  if (trainer.is_worker())
    feed.emplace(data,
                 training::Sampling{.samples = data.samples,
                                    .global_batch = config.workers,
                                    .workers = config.workers,
                                    .rank = c.rank(),
                                    .shuffle = false},
                 0);
  Steps steps;
  training::Observer observer;
  observer.step = [&](const training::StepReport& r) { steps.all.push_back(r); };
  observer.collective = [&](const training::CollectiveId& id, double, double, Count bytes) {
    steps.sent[id.step] += bytes;
  };
  trainer.run({feed ? &*feed : nullptr, nullptr}, config.steps + 1, observer);
  const Count first = first_counted(config);
  const Count sent = c.sum(steps.bytes(first, training::find_strategy(learning.strategy).direct));
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double period = feed ? steps.period(static_cast<std::size_t>(first)) : kNever;
  const double rate = rate_of(c, config, period);
  ReplayResult result{.config = config, .step = config.workers / rate, .rate = rate};
  fill_parts(result, c, steps, static_cast<std::size_t>(first), period,
             total(training::passes_of(profile)));
  if (c.rank() != 0) return {};
  for (std::size_t s = 0; s + 1 < steps.all.size(); ++s)
    result.step_us.push_back((steps.all[s + 1].begin - steps.all[s].begin) * 1e6);
  result.bytes =
      static_cast<double>(sent) / static_cast<double>(config.steps - first) / config.ranks;
  result.route = trainer.exchange().route().name(c);
  return result;
}

}  // namespace arlab::bench
