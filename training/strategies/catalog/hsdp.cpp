// hsdp: fsdp within groups of ranks, and an allreduce of each shard over all groups.
#include "training/strategies/sharded.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind hsdp() {
  return {
      .name = "hsdp",
      .summary = "fsdp within groups of ranks; an allreduce of each shard over the groups",
      .source = "Zhao et al., PyTorch FSDP, VLDB 2023",
      .sharded = true,
      .gathers = true,
      .grouped = true,
      .make = [](const StrategyContext& context) { return make_gathered(context, true); },
      .unsupported_reason = refuse_grouped,
  };
}

}  // namespace arlab::training::strategy_catalog
