// Every strategy on emulated ranks: the results of threads if the order of messages does not
// matter, and otherwise always the same result.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// A toy whose step takes 2 ms on its rank's clock.
class Timed final : public toy::ToyReplica {
 public:
  explicit Timed(Clock& clock) : clock_(clock) {}
  BatchResult learn(const Samples& samples, float scale) override {
    clock_.begin_compute(2e-3);
    clock_.end_compute();
    return ToyReplica::learn(samples, scale);
  }

 private:
  Clock& clock_;
};

struct Trained {
  toy::Result result;
  EmulationResult outcome;
};

Trained train(toy::Run run, const EmulationOptions& options) {
  EmulationResult outcome;
  std::vector<Clock*> clocks(static_cast<std::size_t>(run.ranks));
  run.make = [&](Rank rank) {
    return std::make_unique<Timed>(*clocks[static_cast<std::size_t>(rank)]);
  };
  run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = make_network(find_model("loggops"), {}, ranks);
    outcome = on_emulated_ranks(
        *network, ranks,
        [&](Communicator& c) {
          clocks[static_cast<std::size_t>(c.rank())] = &c.clock();
          body(c);
        },
        options);
  };
  toy::Result result = toy::train(run);
  return {std::move(result), std::move(outcome)};
}

toy::Run run_of(std::string_view strategy) {
  toy::Run run;
  run.ranks = strategy == "one_device" ? 1 : 4;
  run.learning.strategy = strategy;
  if (find_strategy(strategy).grouped) run.learning.route_options.group_size = 2;
  run.global_batch = 24;
  return run;
}

}  // namespace

TEST_CASE("emulated ranks: synchronous strategies give the weights of threads, bit for bit") {
  int runs = 0;
  for (const StrategyKind& strategy : strategies()) {
    if (!strategy.synchronous) continue;
    INFO(strategy.name);
    const toy::Run run = run_of(strategy.name);
    EmulationOptions options;
    for (Rank r = 0; r < run.ranks; ++r) options.slowdown.push_back(1 + r % 3);
    const Trained emulated = train(run, options);
    CHECK(emulated.result.weights == toy::train(run).weights);
    CHECK(emulated.outcome.finish >= 10 * 2 * 1000 * kMicrosecond);  // 10 steps
    ++runs;
  }
  CHECK(runs > 3);
}

TEST_CASE("emulated ranks: asynchronous strategies give the same result in every run") {
  for (const char* strategy :
       {"async_parameter_server", "stale_synchronous", "local_sgd", "diloco"}) {
    INFO(strategy);
    const toy::Run run = run_of(strategy);
    const EmulationOptions options{.slowdown = {1, 1, 4, 1}, .jitter = 0.2, .seed = 3};
    const Trained once = train(run, options), again = train(run, options);
    CHECK(once.result.weights == again.result.weights);
    CHECK(once.result.staleness == again.result.staleness);
    CHECK(once.outcome.finish_of == again.outcome.finish_of);
    const Trained other = train(run, {.slowdown = {1, 1, 4, 1}, .jitter = 0.2, .seed = 4});
    CHECK(once.outcome.finish_of != other.outcome.finish_of);
  }
}

TEST_CASE("emulated ranks: a slow worker's gradients are stale on arrival") {
  const toy::Run run = run_of("async_parameter_server");  // three workers and a server
  const auto oldest = [&](double slowdown) {
    return train(run, {.slowdown = {1, 1, slowdown, 1}}).result.staleness.rbegin()->first;
  };
  CHECK(oldest(1) == 2);  // the two others updated in between
  CHECK(oldest(4) >= 6);
}
