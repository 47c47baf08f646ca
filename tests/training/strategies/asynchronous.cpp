// Strategies whose workers do not wait for each other.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

Count total(const Staleness& staleness) {
  Count all = 0;
  for (const auto& [old, updates] : staleness) all += updates;
  return all;
}

/// A replica whose rank 0 is slow, and which publishes its clock to all ranks.
class Slow final : public toy::ToyReplica {
 public:
  Slow(std::atomic<Count>* clocks, Rank rank, Rank workers, std::atomic<Count>* widest)
      : clocks_(clocks), rank_(rank), workers_(workers), widest_(widest) {}
  BatchResult learn(const Samples& samples, float scale) override {
    const Count mine = clocks_[rank_].load();
    for (Rank other = 0; other < workers_; ++other) {
      const Count lead = mine - clocks_[other].load();
      Count widest = widest_->load();
      while (lead > widest && !widest_->compare_exchange_weak(widest, lead)) {
      }
    }
    if (rank_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const BatchResult outcome = ToyReplica::learn(samples, scale);
    clocks_[rank_].store(mine + 1);
    return outcome;
  }

 private:
  std::atomic<Count>* clocks_;
  Rank rank_, workers_;
  std::atomic<Count>* widest_;
};

}  // namespace

TEST_CASE("no worker is ever ahead of the slowest by more than the bound") {
  for (const Count bound : {0, 1, 3}) {
    INFO("bound " << bound);
    std::atomic<Count> clocks[3] = {}, widest = 0;
    toy::Run run;
    run.ranks = 3;
    run.learning.strategy = "stale_synchronous";
    run.learning.options.values["staleness"] = static_cast<double>(bound);
    run.learning.epochs = 2;
    run.make = [&](Rank rank) { return std::make_unique<Slow>(clocks, rank, 3, &widest); };
    const toy::Result result = toy::train(run);
    CHECK(widest.load() <= bound);
    if (bound > 0) CHECK(widest.load() > 0);  // the two fast workers do run ahead
    CHECK(result.staleness.rbegin()->first <= bound);
    CHECK(total(result.staleness) == 3 * 20);
    CHECK(result.weights[0] == result.weights[2]);
    CHECK(result.epochs[1].train.loss < result.epochs[0].train.loss);
  }
}

TEST_CASE("asynchronous servers update at each gradient and count its staleness") {
  toy::Run run;
  run.learning.strategy = "async_parameter_server";
  run.learning.epochs = 2;
  run.learning.rate.base = 0.5;
  for (const Rank servers : {1, 2, 6}) {  // including more servers than variables
    INFO(servers << " servers");
    run.ranks = 3 + servers;
    run.learning.options.values["servers"] = servers;
    const toy::Result result = toy::train(run);
    CHECK(total(result.staleness) == 3 * 20 * std::min<Rank>(servers, 4));
    CHECK(result.epochs[1].train.loss < result.epochs[0].train.loss);
    CHECK(result.epochs[1].validation.correct > 36);
    for (const Rank w : {1, 2})
      CHECK(result.weights[static_cast<std::size_t>(w)] == result.weights[0]);
  }
}

TEST_CASE("one asynchronous worker is never stale, and trains like a single worker") {
  toy::Run run;
  run.learning.strategy = "async_parameter_server";
  run.ranks = 2;
  const toy::Result result = toy::train(run);
  CHECK(result.staleness == Staleness{{0, 10}});
  CHECK(result.weights[0] == toy::alone(run, 1).weights[0]);
}
