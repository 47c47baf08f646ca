// PlanCache: the plans of one communicator, kept from call to call.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "collectives/host/plan.hpp"

namespace arlab::collectives {

class PlanCache {
 public:
  explicit PlanCache(Rank me) : me_(me) {}

  /// Returns the plan of a problem whose groups, grid and forest are always the same. It stays
  /// valid until the next call. Throws Error(usage) if the algorithm does not support the problem.
  HostPlan& get(const Algorithm& algorithm, const Problem& problem, Operand operand,
                int segments = 1);

 private:
  using Key = std::tuple<const Algorithm*, Collective, Count, Rank, DType, Op, int>;
  Rank me_;
  std::map<Key, HostPlan> plans_;
  Key last_key_{};
  HostPlan* last_ = nullptr;
};

}  // namespace arlab::collectives
