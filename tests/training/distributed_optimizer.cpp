#include "training/distributed_optimizer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

TEST_CASE("a custom loop trains like the trainer") {
  toy::Run run;
  run.ranks = 2;
  const auto expected = toy::train(run).weights[0];
  const Dataset data = synthetic({.shape = toy::kShape, .samples = run.samples, .seed = 5});
  std::vector<float> weights[2];
  on_threads(2, [&](Communicator& c) {
    toy::ToyReplica replica(1 + static_cast<std::uint64_t>(c.rank()));
    DistributedOptimizer optimizer(c, replica, {});
    Pipeline feed(data, toy::sampling(run, 2, c.rank()), 0);
    for (int step = 0; step < 10; ++step) {
      const Batch batch = feed.next();
      optimizer.start_step();
      replica.learn({batch.values, batch.labels},
                    1 / static_cast<float>(optimizer.global(batch.samples)));
      optimizer.step(0.1);
    }
    weights[c.rank()].assign(replica.weights().begin(), replica.weights().end());
  });
  CHECK(weights[0] == expected);
  CHECK(weights[1] == expected);
}

TEST_CASE("rejects ranks with different options") {
  CHECK(toy::fails(Blame::usage, "rank 1 and rank 0 differ in the optimizer", [] {
    on_threads(2, [](Communicator& c) {
      toy::ToyReplica replica;
      DistributedOptions options;
      if (c.rank() == 1) options.optimizer.kind = OptimizerOptions::Kind::adam;
      DistributedOptimizer optimizer(c, replica, options);
    });
  }));
}
