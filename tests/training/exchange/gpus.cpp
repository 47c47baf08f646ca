// Training with gradients exchanged between GPUs, which the host stands in for, gives the bits of
// training without GPUs.
#include "tests/support/catch.hpp"
#include "tests/support/on_staged_ranks.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Returns all ranks' weights after some steps.
std::vector<std::vector<float>> trained(const toy::Run& run) {
  std::vector<std::vector<float>> weights(static_cast<std::size_t>(run.ranks));
  const Dataset data = cached(synthetic({.shape = toy::kShape, .samples = run.samples, .seed = 5}));
  on_staged_ranks(run.ranks, [&](Communicator& c, StagedExecutor& gpus) {
    const auto make = [&](const SumOverWorkers&) {
      return std::make_unique<toy::ToyReplica>(1 + static_cast<std::uint64_t>(c.rank()));
    };
    TrainerOptions learning = run.learning;
    learning.route_options.executor = &gpus;
    Trainer trainer(c, learning, make);
    Pipeline feed(data, toy::sampling(run, run.ranks, c.rank()), 1);
    trainer.run({&feed, nullptr}, run.samples / run.global_batch);
    const auto mine = trainer.replica().weights();
    weights[static_cast<std::size_t>(c.rank())] = {mine.begin(), mine.end()};
  });
  return weights;
}

}  // namespace

TEST_CASE("gradients exchanged between GPUs train as on the host, by any route") {
  for (const char* route : {"ring", "native", "hierarchical"})
    for (const bool overlap : {false, true}) {
      toy::Run run;
      run.ranks = 4;
      run.learning.route = route;
      run.learning.route_options.group_size = 2;
      run.learning.overlap = overlap;
      INFO(route << " overlap " << overlap);
      CHECK(trained(run) == toy::train(run).weights);
    }
}
