// fsdp: each rank keeps a part of the optimizer's state, of the gradients and of the weights
// (zero3).
#include "training/simulation/sharded.hpp"
#include "training/strategies/sharded.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind fsdp() {
  return {
      .name = "fsdp",
      .summary = "like zero2; weights are sharded, too: each pass gathers them one unit ahead",
      .source = "Rajbhandari et al., ZeRO, SC 2020; Zhao et al., PyTorch FSDP, VLDB 2023",
      .collectives = {Collective::reduce_scatter, Collective::all_gather},
      .sharded = true,
      .gathers = true,
      .make = [](const StrategyContext& context) { return make_gathered(context, false); },
      .unsupported_reason = refuse_sharded,
      .simulate = [](const TrainingPlan& plan, const MakeNetwork& network,
                     bool) { return simulate_sharded(plan, network); },
  };
}

}  // namespace arlab::training::strategy_catalog
