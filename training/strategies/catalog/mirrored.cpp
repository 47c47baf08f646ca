// mirrored: a replica on each thread of one process; gradients are summed by allreduce.
#include "training/strategies/all_reduce.hpp"

namespace arlab::strategy_catalog {

StrategyKind mirrored() {
  return {
      .name = "mirrored",
      .idea = "one process, a replica a thread; gradients are summed by allreduce",
      .source = "TensorFlow, tf.distribute.MirroredStrategy",
      .backend = "threads",
      .schedules = true,
      .compresses = true,
      .make = make_all_reduce,
  };
}

}  // namespace arlab::strategy_catalog
