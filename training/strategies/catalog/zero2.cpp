// zero2: each rank keeps a part of the optimizer's state and of the gradients.
#include "training/simulation/sharded.hpp"
#include "training/strategies/sharded.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind zero2() {
  return {
      .name = "zero2",
      .summary = "like zero1; gradients are sharded, too: other ranks' parts have no memory",
      .source = "Rajbhandari et al., ZeRO, SC 2020",
      .collectives = {Collective::reduce_scatter, Collective::all_gather},
      .sharded = true,
      .make = [](const StrategyContext& context) { return make_sharded(context, true); },
      .unsupported_reason = refuse_sharded,
      .simulate = [](const TrainingPlan& plan, const MakeNetwork& network,
                     bool) { return simulate_sharded(plan, network, kZero2UnitsInProgress); },
  };
}

}  // namespace arlab::training::strategy_catalog
