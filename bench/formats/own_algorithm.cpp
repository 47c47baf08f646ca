#include "bench/formats/own_algorithm.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/types.hpp"
#include "algorithms/chunk_hits.hpp"
#include "algorithms/verify/match_schedule.hpp"

namespace arlab::bench {
namespace {

// The rounds of all ranks, and what they cost by the number of elements.
struct OwnPlan {
  std::vector<Script::Rounds> ranks;
  Count rounds = 0;  // the longest chain
  std::mutex mutex{};
  std::map<Count, Cost> costs{};  // by the closed form
  std::map<Count, std::vector<Cost>> rank_costs{};
};
using SharedPlan = std::shared_ptr<OwnPlan>;

Program own_program(SharedPlan plan, Rank me) {
  for (const auto& round : plan->ranks[index(me)]) co_yield Round(round);
}

Cost sent_by(const OwnPlan& plan, const Problem& p, Rank me) {
  const Script::Rounds& rounds = plan.ranks[index(me)];
  Cost cost{0, 0, static_cast<Count>(rounds.size())};
  for (const auto& round : rounds)
    for (const Action& a : round)
      if (a.sends()) add_message(p.blocks(), a.chunks, cost);
  return cost;
}

// Returns the costs of all ranks, which it keeps for the latest numbers of elements.
const std::vector<Cost>& rank_costs(OwnPlan& plan, const Problem& p) {
  constexpr std::size_t kKept = 64;
  const auto found = plan.rank_costs.find(p.elements);
  if (found != plan.rank_costs.end()) return found->second;
  if (plan.rank_costs.size() >= kKept) plan.rank_costs.clear();
  std::vector<Cost>& costs = plan.rank_costs[p.elements];
  for (Rank r = 0; r < p.ranks; ++r) costs.push_back(sent_by(plan, p, r));
  return costs;
}

// Plans what it is asked for, once. A failed plan is tried again.
class Plans {
 public:
  explicit Plans(OwnAlgorithm own) : own_(std::move(own)) {}

  const OwnAlgorithm& own() const { return own_; }

  SharedPlan of(const Problem& p) {
    const std::lock_guard lock(mutex_);
    const auto key = std::make_tuple(p.collective, p.ranks, p.root);
    if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    auto plan = std::make_shared<OwnPlan>();
    plan->ranks = own_.plan(p);
    expects(plan->ranks.size() == index(p.ranks), "a plan has the rounds of every rank");
    for (const Script::Rounds& rounds : plan->ranks)
      for (const auto& round : rounds) actions_ += round.size();
    const Schedule schedule = [&](Rank me) { return own_program(plan, me); };
    Problem filled = p;
    filled.elements = p.parts();
    plan->rounds = match_schedule(filled, schedule).rounds;
    if (actions_ > kMostActions) plans_.clear(), actions_ = 0;  // of many numbers of ranks
    return plans_[key] = plan;
  }

  // Each run of each rank asks for it, so that the closed form is computed once.
  Cost cost(const Problem& p) {
    const SharedPlan plan = of(p);
    const std::lock_guard lock(plan->mutex);
    if (own_.cost) {
      const auto [found, fresh] = plan->costs.try_emplace(p.elements);
      if (fresh) found->second = own_.cost(p);
      return found->second;
    }
    Cost all{0, 0, plan->rounds};
    for (const Cost& cost : rank_costs(*plan, p)) {
      all.messages += cost.messages;
      all.elements += cost.elements;
    }
    return all;
  }
  Cost cost(const Problem& p, Rank me) {
    const SharedPlan plan = of(p);
    const std::lock_guard lock(plan->mutex);
    return rank_costs(*plan, p)[index(me)];
  }

 private:
  static constexpr std::size_t kMostActions = 20'000'000;  // half a gigabyte
  OwnAlgorithm own_;
  std::mutex mutex_;
  std::map<std::tuple<Collective, Rank, Rank>, SharedPlan> plans_;
  std::size_t actions_ = 0;
};

}  // namespace

std::shared_ptr<const Algorithm> algorithm_of(OwnAlgorithm given) {
  const auto plans = std::make_shared<Plans>(std::move(given));
  const OwnAlgorithm& own = plans->own();
  auto made = std::make_shared<Algorithm>(Algorithm{.name = own.name,
                                                    .label = own.label,
                                                    .color = "#000000",
                                                    .family = "split",
                                                    .summary = own.summary,
                                                    .source = own.source,
                                                    .formula = own.formula,
                                                    .collectives = own.collectives,
                                                    .has_formula = own.cost != nullptr,
                                                    .chained = Chained::no});
  made->program = [plans](Problem p, Rank me) { return own_program(plans->of(p), me); };
  made->cost_model = [plans](const Problem& p) { return plans->cost(p); };
  made->rank_cost_model = [plans](const Problem& p, Rank me) { return plans->cost(p, me); };
  if (own.chunks_per_rank > 1)
    made->chunks_per_rank = [n = own.chunks_per_rank](const Problem&) { return n; };
  made->place = own.place;
  if (own.unsupported_reason)
    made->unsupported_reason = [plans](const Problem& p) {
      return plans->own().unsupported_reason(p);
    };
  return made;
}

}  // namespace arlab::bench
