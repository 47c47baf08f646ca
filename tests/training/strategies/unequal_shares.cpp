// Averages of workers whose batches differ: each counts by its samples, so that they learn what one
// worker with the whole batch would.
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using OptimizerKind = OptimizerOptions::Kind;

toy::Run run_of(const char* strategy, Rank workers, OptimizerKind optimizer) {
  toy::Run run;
  run.ranks = workers;
  run.global_batch = 22;  // 8, 7, 7 samples, or 5, 5, 4, 4, 4
  run.learning.strategy = strategy;
  run.learning.optimizer.kind = optimizer;
  run.learning.rate.base = 0.03;
  run.learning.epochs = 2;
  run.learning.options.values["every"] = 1;
  run.learning.options.values["outer_rate"] = 1;
  run.learning.options.values["outer_momentum"] = 0;
  return run;
}

}  // namespace

TEST_CASE("averages of every step equal mirrored, also if the workers' batches differ in size") {
  for (const char* strategy : {"local_sgd", "diloco"})
    for (const Rank workers : {3, 5})
      for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::momentum}) {
        INFO(strategy << " of " << workers << " workers, " << name(optimizer));
        const auto periodic = toy::train(run_of(strategy, workers, optimizer)).weights;
        const auto dense = toy::train(run_of("mirrored", workers, optimizer)).weights;
        for (const auto& weights : periodic) {
          CHECK(toy::distance(weights, dense[0]) < 2e-5);
          CHECK(weights == periodic[0]);
        }
      }
}

TEST_CASE("averages of a short last batch count samples, also of workers that have none") {
  for (const char* strategy : {"local_sgd", "diloco"}) {
    INFO(strategy);
    toy::Run periodic = run_of(strategy, 3, OptimizerKind::sgd);
    periodic.samples = 178;  // 8 batches of 22, and 2 samples for 3 workers
    periodic.short_batches = true;
    toy::Run dense = periodic;
    dense.learning.strategy = "mirrored";
    CHECK(toy::distance(toy::train(periodic).weights[0], toy::train(dense).weights[0]) < 2e-5);
  }
}

TEST_CASE("a share of the samples is 1 if all workers have equally many") {
  SampleShare share;
  CHECK(share.of(3) == 1);
  share.add({.samples = 7, .global = 21});
  CHECK(share.of(3) == 1);
  share.add({.samples = 8, .global = 22});
  CHECK(share.of(3) == Approx(45.0 / 43));
  std::vector<float> data{2, 4};
  weigh(data, share, 3);
  CHECK(data[1] == Approx(4 * 45.0 / 43));
}
