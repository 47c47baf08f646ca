// Sharded data parallelism: bytes have their closed forms, and a step is computed by hand.
#include "training/simulation/sharded.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/groups.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sharded_bytes.hpp"
#include "training/simulation/simulate_training.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

constexpr Count kElements = 8'000'000;  // of each layer: a unit of 32 MB

TrainingPlan sharded(std::string_view strategy, Rank ranks) {
  TrainingPlan plan{.strategy = &find_strategy(strategy),
                    .scheduler = &find_scheduler("buckets"),
                    .algorithm = &find_algorithm("ring"),
                    .ranks = ranks,
                    .steps = 4};
  const Time ms = 1'000 * kMicrosecond;
  for (int i = 0; i < 3; ++i) plan.layers.push_back({"layer", 10 * ms, 20 * ms, kElements, {}});
  return plan;
}

MakeNetwork network_of(Rank ranks, double beta) {
  return [=] {
    return simulator::make_network(simulator::find_model("alpha_beta"),
                                   {{"alpha", 0.}, {"beta", beta}}, ranks);
  };
}

}  // namespace

TEST_CASE("sharded strategies send the closed form of their bytes") {
  for (const Rank ranks : {2, 4, 5})
    for (const char* name : {"zero1", "zero2", "fsdp"}) {
      INFO(name << " on " << ranks);
      const StrategyKind& kind = find_strategy(name);
      const SimulatedSteps steps = simulate_training(sharded(name, ranks), network_of(ranks, 100));
      CHECK(steps.sent == Approx(sharded_bytes(kind, 3. * kElements * 4, ranks)));
      CHECK(steps.collectives == Approx(kind.gathers ? 9 : 6));
    }
  const StrategyKind &zero1 = find_strategy("zero1"), &fsdp = find_strategy("fsdp"),
                     &hsdp = find_strategy("hsdp");
  CHECK(sharded_bytes(zero1, 1000, 4) == Approx(1500));
  CHECK(sharded_bytes(fsdp, 1000, 4) == Approx(2250));
  // In groups of 4 of 8 ranks: 3 x 3/4, and a quarter of the vector over two groups.
  CHECK(sharded_bytes(hsdp, 1000, 8, 4) == Approx(2250 + 2 * 250 / 2));
  CHECK(sharded_bytes(hsdp, 1000, 4, 4) == Approx(sharded_bytes(fsdp, 1000, 4)));
  CHECK(sharded_bytes(hsdp, 1000, 4, 1) == Approx(sharded_bytes(zero1, 1000, 4)));
}

TEST_CASE("a sharded step has the time computed by hand") {
  // Half an allreduce of a unit takes 16 MB on two ranks: 1.6 ms at 10 GB/s, which the passes hide.
  const double ms = 1e9, half = 1.6 * ms;
  const SimulatedSteps fsdp = simulate_training(sharded("fsdp", 2), network_of(2, 100));
  CHECK(
      fsdp.period() ==
      Approx(90 * ms + 3 * half).epsilon(1e-6));  // the first gather of each pass, the last scatter
  const SimulatedSteps zero = simulate_training(sharded("zero2", 2), network_of(2, 100));
  CHECK(zero.period() == Approx(90 * ms + 2 * half).epsilon(1e-6));
  // 32 ms per half: the links are always in use.
  const SimulatedSteps slow = simulate_training(sharded("fsdp", 2), network_of(2, 2000));
  CHECK(slow.communication == Approx(9 * 32 * ms).epsilon(1e-6));
  CHECK(slow.period() >= 9 * 32 * ms);
  CHECK(!slow.each_rank);
}

TEST_CASE("a sharded step of unequal units has the time computed by hand") {
  // A layer of one unit of time per pass, whose half of an allreduce takes one, and one of twice
  // the elements. Gathers end at 1, 3, 6 and 7, scatters at 10 and 11, of which the passes are 6:
  // the second pass gathers at 4, when the first one ends.
  TrainingPlan plan = sharded("fsdp", 2);
  const Time unit = 1'000 * kMicrosecond;
  plan.layers = {{"a", unit, 2 * unit, kElements, {}}, {"b", unit, 2 * unit, 2 * kElements, {}}};
  const SimulatedSteps steps = simulate_training(plan, network_of(2, 1e9 / (2. * kElements)));
  CHECK(steps.period() / 1e9 == Approx(11).epsilon(1e-6));
  CHECK(steps.exposed / 1e9 == Approx(5).epsilon(1e-6));
}

TEST_CASE("sharding needs both halves of an allreduce, and no compressor") {
  TrainingPlan plan = sharded("fsdp", 4);
  plan.algorithm = &find_algorithm("butterfly");
  CHECK_THROWS_AS(check(plan), Error);
  plan = sharded("zero1", 4);
  plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {}};
  CHECK_THROWS_WITH(check(plan), Catch::Contains("strategy zero1 does not use a compressor"));
}

TEST_CASE("hsdp sends its closed form, over several networks, and refuses plans without groups") {
  for (const Rank group : {1, 2, 4, 8}) {
    INFO("groups of " << group);
    TrainingPlan plan = sharded("hsdp", 8);
    plan.groups = std::make_shared<const Groups>(Groups::consecutive(8, group));
    const SimulatedSteps steps = simulate_training(plan, network_of(8, 100));
    CHECK(steps.sent == Approx(sharded_bytes(find_strategy("hsdp"), 3. * kElements * 4, 8, group)));
    CHECK(ranks_per_copy(plan) == group);
  }
  TrainingPlan plan = sharded("hsdp", 8);
  CHECK_THROWS_WITH(check(plan), Catch::Contains("a number of ranks per group that divides 8"));
  plan.groups = std::make_shared<const Groups>(Groups::consecutive(8, 3));
  CHECK_THROWS_WITH(check(plan), Catch::EndsWith("give a size that divides 8"));
}
