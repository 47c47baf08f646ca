// hsdp: fsdp within groups of ranks, and an allreduce of each shard over all groups.
#include "training/simulation/sharded.hpp"
#include "training/strategies/sharded.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind hsdp() {
  return {
      .name = "hsdp",
      .summary = "fsdp within groups of ranks; an allreduce of each shard over the groups",
      .source = "Zhao et al., PyTorch FSDP, VLDB 2023",
      .collectives = {Collective::reduce_scatter, Collective::all_gather},
      .sharded = true,
      .gathers = true,
      .grouped = true,
      .make = [](const StrategyContext& context) { return make_gathered(context, true); },
      .unsupported_reason = refuse_grouped,
      .simulate = [](const TrainingPlan& plan, const MakeNetwork& network,
                     bool) { return simulate_sharded(plan, network); },
  };
}

}  // namespace arlab::training::strategy_catalog
