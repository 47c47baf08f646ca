// multi_worker: a process for each worker; gradients are summed by allreduce.
#include "training/strategies/all_reduce.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind multi_worker() {
  return {
      .name = "multi_worker",
      .summary = "a process a worker, under mpirun or srun; gradients are summed by allreduce",
      .source = "TensorFlow, tf.distribute.MultiWorkerMirroredStrategy",
      .placement = collectives::Placement::processes,
      .schedules = true,
      .compresses = true,
      .make = make_all_reduce,
  };
}

}  // namespace arlab::training::strategy_catalog
