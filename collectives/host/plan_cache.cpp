#include "collectives/host/plan_cache.hpp"

namespace arlab::collectives {

HostPlan& PlanCache::get(const Algorithm& algorithm, const Problem& problem, Operand operand,
                         int segments) {
  // The few sizes that a loop calls with. A program with more sizes makes its plans anew.
  constexpr std::size_t kMostPlans = 64;
  const Key key{&algorithm,    problem.collective, problem.elements, problem.root,
                operand.dtype, operand.op,         segments};
  if (last_ && key == last_key_) return *last_;
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    if (plans_.size() >= kMostPlans) plans_.clear();
    last_ = nullptr;
    found = plans_.try_emplace(key, algorithm, problem, me_, operand, segments).first;
  }
  last_key_ = key;
  last_ = &found->second;
  return *last_;
}

}  // namespace arlab::collectives
