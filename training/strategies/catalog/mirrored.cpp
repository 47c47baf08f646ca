// mirrored: one process with one replica per thread; sums gradients by allreduce.
#include "training/strategies/all_reduce.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind mirrored() {
  return {
      .name = "mirrored",
      .summary = "one process with one replica per thread; sums gradients by allreduce",
      .source = "TensorFlow, tf.distribute.MirroredStrategy",
      .placement = collectives::Placement::threads,
      .schedules = true,
      .compresses = true,
      .on_device = true,
      .make = make_all_reduce,
  };
}

}  // namespace arlab::training::strategy_catalog
