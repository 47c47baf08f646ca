// zero1: each rank keeps a part of the optimizer's state.
#include "training/simulation/sharded.hpp"
#include "training/strategies/sharded.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind zero1() {
  return {
      .name = "zero1",
      .summary =
          "the optimizer's state is sharded: each rank updates its part, then weights are gathered",
      .source = "Rajbhandari et al., ZeRO, SC 2020",
      .collectives = {Collective::reduce_scatter, Collective::all_gather},
      .sharded = true,
      .make = [](const StrategyContext& context) { return make_sharded(context, false); },
      .unsupported_reason = refuse_sharded,
      .simulate = [](const TrainingPlan& plan, const MakeNetwork& network,
                     bool) { return simulate_sharded(plan, network); },
  };
}

}  // namespace arlab::training::strategy_catalog
