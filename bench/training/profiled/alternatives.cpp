#include "bench/training/profiled/alternatives.hpp"

#include <algorithm>

namespace arlab::bench {
namespace {

using training::TrainingPlan;

double saved(const ScaleRow& row, const TrainingPlan& plan, const training::MakeNetwork& network) {
  return 1 -
         training::simulate_training(plan, network, training::Ranks::one_for_all).step() / row.step;
}

// DiLoCo sends as much as an allreduce every 8 steps. What it learns differs.
Alternative other_strategy(const ScaleRow& row, const TrainingPlan& plan,
                           const training::MakeNetwork& network) {
  if (!plan.strategy->schedules || plan.compression) return {row.strategy, 0};
  TrainingPlan other = plan;
  other.strategy = &training::find_strategy("diloco");  // which uses no scheduler
  other.values = {};
  return {"diloco", saved(row, other, network)};
}

struct Candidate {
  Alternative alternative;
  TrainingPlan plan;
};

// Of these, the first is the choice; the best other one if it is a tie with it.
Alternative best(const std::vector<Candidate>& all, const ScaleRow& row, const RefitSteps* refits) {
  const auto saves_less = [](const Candidate& a, const Candidate& b) {
    return a.alternative.saves < b.alternative.saves;
  };
  const auto other = std::max_element(all.begin() + 1, all.end(), saves_less);
  if (other == all.end()) return all.front().alternative;
  Alternative chosen = other->alternative;
  if (refits) chosen.tie = refits->is_tie(other->plan, all.front().plan, row);
  return chosen.saves > 0 || chosen.tie.value_or(false) ? chosen : all.front().alternative;
}

}  // namespace

std::vector<Alternative> alternatives_of(const ScaleRow& row, const TrainingPlan& plan,
                                         const training::MakeNetwork& network,
                                         const ScaleOptions& options,
                                         const training::ModelProfile& profile,
                                         const RefitSteps* refits) {
  TrainingPlan faster = plan;
  faster.bandwidth = 2;
  std::vector<Alternative> all{{"2x bandwidth", saved(row, faster, network), false}};
  std::vector<Candidate> schedulers{{{row.scheduler, 0}, plan}};
  for (const char* name : {"buckets", "fifo", "mg_wfbp", "dear"}) {
    TrainingPlan other = plan;
    other.scheduler = &training::find_scheduler(name);
    other.scheduling.clear();
    if (name == row.scheduler || !plan.strategy->schedules) continue;
    if (other.scheduler->halves && (plan.compression || !unsupported_algorithm(other).empty()))
      continue;
    schedulers.push_back({{name, saved(row, other, network)}, other});
  }
  all.push_back(best(schedulers, row, refits));
  std::vector<Candidate> algorithms{{{std::string(plan.algorithm->name), 0}, plan}};
  constexpr Count kMostMessages = 1'100'000;
  for (const char* name : {"ring", "rabenseifner", "butterfly", "hierarchical"}) {
    TrainingPlan other = plan;
    other.algorithm = &find_algorithm(name);
    const Problem problem = plan.problem(Collective::allreduce, plan.ranks);
    if (other.algorithm == plan.algorithm || !unsupported(*other.algorithm, problem).empty() ||
        predicted_cost(*other.algorithm, problem, plan.segments).messages > kMostMessages ||
        plan.scheduler->halves || plan.compression || !plan.strategy->schedules)
      continue;
    algorithms.push_back({{name, saved(row, other, network)}, other});
  }
  all.push_back(best(algorithms, row, refits));
  all.push_back(other_strategy(row, plan, network));
  const training::CompressorChoice halves = training::choose_compressor("fp16");
  if (!plan.compression && plan.strategy->compresses && !plan.scheduler->halves &&
      shrinks(profile, halves)) {
    TrainingPlan other = plan;
    other.compression = {halves, training::Aggregation::allreduce,
                         options.codec_of(halves, profile)};
    all.push_back({"fp16", saved(row, other, network), false});
  }
  return all;
}

}  // namespace arlab::bench
