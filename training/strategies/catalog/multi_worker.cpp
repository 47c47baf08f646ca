// multi_worker: one process per worker; sums gradients by allreduce.
#include "training/strategies/all_reduce.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind multi_worker() {
  return {
      .name = "multi_worker",
      .summary = "one process per worker, under mpirun or srun; sums gradients by allreduce",
      .source = "TensorFlow, tf.distribute.MultiWorkerMirroredStrategy",
      .placement = collectives::Placement::processes,
      .schedules = true,
      .compresses = true,
      .on_device = true,
      .make = make_all_reduce,
  };
}

}  // namespace arlab::training::strategy_catalog
