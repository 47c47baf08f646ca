#include "bench/training/profiled/replay_run.hpp"

#include <algorithm>
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

  // From the begin of the first step that counts to that of the last one.
  void fill(ReplayResult& result, std::size_t first) const {
    const std::size_t last = all.size() - 1;
    const auto number = static_cast<double>(last - first);
    result.step = (all[last].begin - all[first].begin) / number;
    for (std::size_t s = first; s < last; ++s) {
      result.exposed += all[s].exposed / number;
      result.communication += all[s].communication / number;
      result.codec += all[s].codec / number;
    }
    for (std::size_t s = 0; s < last; ++s)
      result.step_us.push_back((all[s + 1].begin - all[s].begin) * 1e6);
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

// Rank 0's waiting for the passes of a slower worker is computation. Workers of asynchronous
// servers wait for none.
void count_stragglers(ReplayResult& result, double own) {
  const ReplayConfig& config = result.config;
  const training::StrategyKind& kind = training::find_strategy(config.learning.strategy);
  double slowest = slowdown_of(config, 0);
  const Rank waited_for = kind.synchronous || !kind.has_servers ? config.workers : 1;
  for (Rank w = 1; w < waited_for; ++w) slowest = std::max(slowest, slowdown_of(config, w));
  result.compute = own * slowest;
  result.exposed = std::max(0.0, result.exposed - own * (slowest - slowdown_of(config, 0)));
}

}  // namespace

double ReplayResult::samples_per_second() const {
  return static_cast<double>(config.profile->batch) * config.workers / step;
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
  if (c.rank() != 0) return {};
  ReplayResult result{.config = config};
  steps.fill(result, static_cast<std::size_t>(first));
  result.bytes =
      static_cast<double>(sent) / static_cast<double>(config.steps - first) / config.ranks;
  result.route = trainer.exchange().route().name(c);
  result.alone = total(training::passes_of(*config.profile));
  count_stragglers(result, total(training::passes_of(profile)));
  return result;
}

}  // namespace arlab::bench
