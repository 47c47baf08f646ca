// mirrored: a replica on each thread of one process; gradients are summed by allreduce.
#include "training/strategies/all_reduce.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind mirrored() {
  return {
      .name = "mirrored",
      .summary = "one process, a replica a thread; gradients are summed by allreduce",
      .source = "TensorFlow, tf.distribute.MirroredStrategy",
      .placement = collectives::Placement::threads,
      .schedules = true,
      .compresses = true,
      .make = make_all_reduce,
  };
}

}  // namespace arlab::training::strategy_catalog
