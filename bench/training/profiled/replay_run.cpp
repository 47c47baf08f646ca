#include "bench/training/profiled/replay_run.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "training/data/synthetic.hpp"
#include "training/profiles/profile_replica.hpp"
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

// What rank 0 saw of the steps.
struct Steps {
  std::vector<training::StepReport> all;

  // Over the second half: from the begin of one step to that of the last.
  void fill(ReplayResult& result) const {
    const std::size_t last = all.size() - 1, half = last / 2;
    const auto number = static_cast<double>(last - half);
    result.step = (all[last].begin - all[half].begin) / number;
    for (std::size_t s = half; s < last; ++s) {
      result.exposed += all[s].exposed / number;
      result.communication += all[s].communication / number;
      result.codec += all[s].codec / number;
    }
    for (std::size_t s = 0; s < last; ++s)
      result.step_us.push_back((all[s + 1].begin - all[s].begin) * 1e6);
  }
};

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
  training::Trainer trainer(c, learning, [&](const training::SumOverWorkers&) {
    return std::make_unique<training::ProfileReplica>(*config.profile);
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
  ReplayResult result;
  training::Observer observer;
  if (c.rank() == 0) {
    observer.step = [&](const training::StepReport& r) { steps.all.push_back(r); };
    observer.epoch = [&](const training::EpochReport& e) {
      result.bytes =
          static_cast<double>(e.bytes_sent) / static_cast<double>(e.steps) / config.ranks;
    };
  }
  trainer.run({feed ? &*feed : nullptr, nullptr}, config.steps + 1, observer);
  if (c.rank() != 0) return {};
  steps.fill(result);
  result.config = config;
  result.route = trainer.exchange().route().name(c);
  result.alone = total(training::passes_of(*config.profile));
  const double own = total(training::passes_of(profile));
  double slowest = 0;
  for (Rank w = 0; w < config.workers; ++w) slowest = std::max(slowest, slowdown_of(config, w));
  result.compute = own * slowest;
  return result;
}

}  // namespace arlab::bench
