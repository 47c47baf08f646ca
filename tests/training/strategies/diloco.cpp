// diloco: special cases that equal other strategies, and the outer steps of a constant gradient,
// computed by hand.
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using OptimizerKind = OptimizerOptions::Kind;

toy::Run diloco_run(const char* strategy, Rank workers, OptimizerKind optimizer, Count every) {
  toy::Run run;
  run.ranks = workers;
  run.learning.strategy = strategy;
  run.learning.optimizer.kind = optimizer;
  run.learning.rate.base = 0.03;
  run.learning.epochs = 2;
  run.learning.options.every = every;
  run.learning.options.outer_rate = 1;
  run.learning.options.outer_momentum = 0;
  return run;
}

/// A single weight of 10 whose gradient is always 1, whatever the samples are.
class Slope final : public Replica {
 public:
  std::span<const Variable> variables() const override { return variables_; }
  std::span<float> weights() override { return weight_; }
  std::span<float> gradients() override { return gradient_; }
  std::span<float> statistics() override { return {}; }
  void on_ready(Ready ready) override { ready_ = std::move(ready); }
  void on_need(Need need) override { need_ = std::move(need); }
  BatchResult learn(const Samples& samples, float) override {
    need_(0);
    gradient_[0] = 1;
    ready_(0);
    return {0, 0, static_cast<Count>(samples.labels.size())};
  }
  BatchResult evaluate(const Samples&) override { return {}; }

 private:
  std::vector<Variable> variables_{{"slope", {1}, 0, 1, 1}};
  std::vector<float> weight_{10}, gradient_{0};
  Ready ready_;
  Need need_;
};

}  // namespace

TEST_CASE("diloco with one inner step, outer rate 1 and no outer momentum equals mirrored") {
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::momentum})
    for (const Rank workers : {2, 3, 4}) {
      INFO(name(optimizer) << ", " << workers << " workers");
      const auto outer = toy::train(diloco_run("diloco", workers, optimizer, 1)).weights;
      const auto dense = toy::train(diloco_run("mirrored", workers, optimizer, 1)).weights;
      for (std::size_t w = 0; w < outer.size(); ++w) {
        CHECK(toy::distance(outer[w], dense[0]) < 2e-5);
        CHECK(outer[w] == outer[0]);
      }
    }
}

TEST_CASE("diloco with outer rate 1 and no outer momentum equals local_sgd, for any interval") {
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adam})
    for (const Count every : {1, 4, 7}) {
      INFO(name(optimizer) << ", every " << every);
      const auto outer = toy::train(diloco_run("diloco", 3, optimizer, every)).weights;
      const auto local = toy::train(diloco_run("local_sgd", 3, optimizer, every)).weights;
      CHECK(toy::distance(outer[0], local[0]) < 2e-5);
    }
}

TEST_CASE("the outer steps of a constant gradient are those of Nesterov's method") {
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
  run.learning.rate.base = 0.125;
  run.learning.epochs = 1;  // of 10 steps: outer steps after 4, 8, and 10
  run.learning.options.outer_rate = 0.5;
  run.learning.options.outer_momentum = 0.5;
  run.make = [](Rank) { return std::make_unique<Slope>(); };
  // Changes of 0.5, 0.5, 0.25; velocities 0.5, 0.75, 0.625;
  // steps 0.5 (0.5 + 0.25), 0.5 (0.5 + 0.375), 0.5 (0.25 + 0.3125).
  for (const std::vector<float>& weights : toy::train(run).weights)
    CHECK(weights.at(0) == 10 - 0.375F - 0.4375F - 0.28125F);
}

TEST_CASE("diloco learns with the default outer optimizer") {
  toy::Run run = diloco_run("diloco", 4, OptimizerKind::sgd, 2);
  run.learning.options = {.every = 2};
  run.learning.epochs = 4;
  const toy::Result result = toy::train(run);
  for (std::size_t e = 1; e < result.epochs.size(); ++e)
    CHECK(result.epochs[e].train.loss < result.epochs[e - 1].train.loss);
}
