// Simulated ranks take exactly the times of emulated ranks, which run the real trainer, exchange,
// scheduler, and messages on the same network.
#include <cmath>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulate_training.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using Costs = std::vector<toy::CostsOnly::Cost>;

constexpr int kSimulatedSteps = 10;
constexpr Bytes kUnit = 50'000;  // of sharded strategies
constexpr CodecCost kCodec{1.25e-9, 0.5e-9};

/// Variables of odd sizes, whose passes take the given picoseconds and twice that.
Costs odd_costs() {
  return {{20'000, 70'000'000}, {37, 1'000'003}, {5, 0},
          {4'096, 90'000'001},  {1, 500},        {9'999, 31'000'000}};
}

/// Variables of which 2 to 8 ranks hold equal parts, in units of several sizes: all ranks finish a
/// collective together.
Costs even_costs() {
  return {{24'000, 70'000'000}, {16'000, 31'000'003}, {4'800, 0}, {9'600, 90'000'001}, {48, 500},
          {240, 11'000'000}};
}

struct EmulatedRun {
  std::string strategy, scheduler, algorithm;
  Values scheduling = {};
  Rank ranks = 4;
  std::string topology = {};
  std::vector<double> slowdown = {};
  int segments = 1;
  Rank group = 0;
  double beta = 803.7;
  Count fragments = 1, delay = 0;
  std::string compressor = {};  // whose codes the owners of chunks encode again
  bool even = false;
};

Costs costs_of(const EmulatedRun& s) {
  return s.even || find_strategy(s.strategy).sharded ? even_costs() : odd_costs();
}

std::unique_ptr<simulator::Network> network_of(const EmulatedRun& s) {
  if (!s.topology.empty())
    return simulator::make_network(simulator::find_model("fluid"), {}, s.ranks,
                                   simulator::FabricSpec{.topology = s.topology});
  return simulator::make_network(simulator::find_model("alpha_beta"),
                                 {{"alpha", 3e6}, {"beta", s.beta}, {"gamma", 11.3}}, s.ranks);
}

Values values_of(const EmulatedRun& s) {
  return {{"every", s.delay > 0 ? 4 : 2},
          {"fragments", static_cast<double>(s.fragments)},
          {"delay", static_cast<double>(s.delay)}};
}

/// Returns the begins of the steps in picoseconds, counted from the first.
std::vector<std::int64_t> emulated(const EmulatedRun& s) {
  toy::Run run;
  run.ranks = s.ranks;
  run.global_batch = s.ranks;
  run.samples = s.ranks * kSimulatedSteps;
  run.learning.strategy = s.strategy;
  run.learning.speed = 1e12;
  run.learning.check_every = 0;
  run.learning.route = s.algorithm;
  run.learning.segments = s.segments;
  run.learning.route_options.group_size = s.group;
  run.learning.options.values = values_of(s);
  run.learning.options.unit = kUnit;
  run.learning.options.gradients.scheduler = s.scheduler;
  run.learning.options.gradients.scheduling = s.scheduling;
  if (!s.compressor.empty()) {
    run.learning.options.gradients.compressor = choose_compressor(s.compressor);
    run.learning.options.gradients.aggregation = "requantize";
    run.learning.options.gradients.codec = kCodec;
  }
  run.make = [&](Rank) { return std::make_unique<toy::CostsOnly>(costs_of(s)); };
  run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = network_of(s);
    EmulationOptions options{.slowdown = s.slowdown};
    on_emulated_ranks(*network, ranks, body, options);
  };
  return toy::begins_of(run);
}

TrainingPlan plan_of(const EmulatedRun& s) {
  TrainingPlan plan{.strategy = &find_strategy(s.strategy),
                    .values = values_of(s),
                    .scheduler = &find_scheduler(s.scheduler),
                    .scheduling = s.scheduling,
                    .algorithm = &find_algorithm(s.algorithm),
                    .segments = s.segments,
                    .ranks = s.ranks,
                    .slowdown = s.slowdown,
                    .steps = kSimulatedSteps};
  const toy::CostsOnly costs(costs_of(s));
  for (const Variable& v : costs.variables())
    plan.layers.push_back({v.name, Time{v.work}, Time{2 * v.work}, v.elements, {}});
  if (!s.compressor.empty())
    plan.compression = {choose_compressor(s.compressor), Aggregation::requantize, kCodec};
  return plan;
}

std::vector<std::int64_t> simulated(const EmulatedRun& s) {
  const TrainingPlan plan = plan_of(s);
  const auto network = network_of(s);
  CollectiveTimes times(plan, [&] { return network_of(s); });
  const SimulatedSteps steps = simulate_each_rank(plan, *network, times.link());
  REQUIRE(steps.begins.size() == kSimulatedSteps + 1);
  std::vector<std::int64_t> begins;
  for (int step = 0; step < kSimulatedSteps; ++step)
    begins.push_back((steps.begins[static_cast<std::size_t>(step)] - steps.begins[0]).count());
  return begins;
}

void expect_equal(const EmulatedRun& s) {
  INFO(s.strategy << " " << s.scheduler << " " << s.algorithm << " " << s.compressor << " on "
                  << s.ranks << " ranks " << s.topology);
  CHECK(simulated(s) == emulated(s));
}

// For schedulers whose cycles begin at another time: only steps that repeat are compared.
void expect_equal_last_steps(const EmulatedRun& s) {
  INFO(s.scheduler << " on " << s.ranks << " ranks");
  const auto last = [](const std::vector<std::int64_t>& begins) {
    return begins.back() - begins[begins.size() - 2];
  };
  CHECK(last(simulated(s)) == last(emulated(s)));
}

}  // namespace

TEST_CASE("simulated steps equal those of emulated ranks to the picosecond") {
  const Values cap{{"first_bucket", 20'000}, {"bucket", 60'000}};
  const struct {
    const char* scheduler;
    Values values;
  } schedulers[] = {{"none", {}},
                    {"fifo", {}},
                    {"buckets", cap},
                    {"dear", {}},
                    {"priority", {{"slice", 16'000}}},
                    {"credit", {{"slice", 16'000}, {"credit", 40'000}}}};
  for (const auto& one : schedulers)
    for (const char* algorithm : {"ring", "rabenseifner", "tree"})
      for (const Rank ranks : unless_sanitized({2, 3, 5, 8}, {2, 5})) {
        if (kThreadSanitizer && ranks != 5) continue;
        if (one.scheduler == std::string_view("dear") && algorithm != std::string_view("ring"))
          continue;
        expect_equal({"multi_worker", one.scheduler, algorithm, one.values, ranks});
      }
}

TEST_CASE("simulated steps equal emulated ones at 64 ranks, sanitized at 16") {
  if (kThreadSanitizer) return;
  constexpr Rank kRanks = kSanitized ? 16 : 64;
  expect_equal({"multi_worker", "buckets", "ring", {}, kRanks});
  expect_equal({"multi_worker", "fifo", "butterfly", {}, kRanks});
}

TEST_CASE("simulated steps of algorithms with several lanes equal emulated ones on ports") {
  for (const char* algorithm : {"bidirectional_ring", "circulant"})
    for (const Rank ranks : unless_sanitized({2, 3, 4, 8}, {4})) {
      expect_equal({"multi_worker", "fifo", algorithm, {}, ranks});
      EmulatedRun s{"multi_worker", "buckets", algorithm, {{"bucket", 60'000}}, ranks};
      s.even = true;
      expect_equal(s);
    }
}

TEST_CASE(
    "simulated steps equal emulated ones on shared links, in segments, and with a straggler") {
  expect_equal({"multi_worker", "fifo", "ring", {}, 8, "fat_tree:k=4"});
  expect_equal({"multi_worker", "fifo", "double_tree", {}, 7, "", {}, 3});
  expect_equal({"multi_worker", "fifo", "ring", {}, 3, "", {1, 2.5, 1}});
  expect_equal({"multi_worker", "priority", "ring", {{"slice", 16'000}}, 3, "", {3, 1, 1}});
}

TEST_CASE(
    "simulated steps last as long as emulated ones where a scheduler asks to be called later") {
  for (const double cycle : {2e6, 30e6, 500e6})  // picoseconds
    for (const Rank ranks : {2, 3})
      expect_equal_last_steps({"multi_worker", "fusion", "ring", {{"cycle", cycle}}, ranks});
}

TEST_CASE(
    "simulated ranks call a scheduler that asked twice for a time once, after what was due "
    "before") {
  // Gradients are complete at 50, 70, and 100 us. The first two wait for the tick at 100 us; that
  // of the last is just in time, since its pass was begun before the second one waited.
  constexpr Time kUs{1'000'000};
  TrainingPlan plan{.strategy = &find_strategy("multi_worker"),
                    .scheduler = &find_scheduler("fusion"),
                    .scheduling = {{"cycle", 100e6}},
                    .algorithm = &find_algorithm("ring"),
                    .ranks = 2,
                    .steps = 1};
  for (const int backward : {30, 20, 20})
    plan.layers.push_back({"layer", 10 * kUs, backward * kUs, 1000, {}});
  const auto network = simulator::make_network(simulator::find_model("alpha_beta"), {}, plan.ranks);
  const SimulatedSteps steps = simulate_each_rank(plan, *network, {});
  CHECK(steps.collectives == 1);
  CHECK(steps.begins.back() > 100 * kUs);
}

TEST_CASE("simulated codes that owners encode again take the times of emulated ranks") {
  const Values cap{{"first_bucket", 20'000}, {"bucket", 60'000}};
  for (const char* compressor : {"int8", "onebit", "qsgd"})
    for (const char* algorithm : {"ring", "circulant"})
      for (const Rank ranks : unless_sanitized({2, 3, 4, 8}, {4})) {
        EmulatedRun s{"multi_worker", "buckets", algorithm, cap, ranks};
        s.compressor = compressor;
        s.even = true;
        expect_equal(s);
        s.scheduler = "fifo";
        s.scheduling.clear();
        expect_equal(s);
      }
  // Chunks of several sizes, some of them empty, whose codes differ by a byte.
  for (const Rank ranks : unless_sanitized({2, 5, 8}, {5})) {
    EmulatedRun s{"multi_worker", "fifo", "circulant", {}, ranks};
    s.compressor = "onebit";
    expect_equal(s);
    s.slowdown.assign(static_cast<std::size_t>(ranks), 1.);
    s.slowdown[1] = 2.5;
    expect_equal(s);
  }
  EmulatedRun shared{"multi_worker", "fifo", "circulant", {}, 8, "fat_tree:k=4"};
  shared.compressor = "onebit";
  expect_equal(shared);
}

TEST_CASE("other synchronous strategies take the times of emulated ranks") {
  expect_equal({"central_storage", "buckets", "tree", {}, 5});
  expect_equal({"central_storage", "buckets", "master_worker", {}, 4});
  expect_equal({"local_sgd", "buckets", "ring", {}, 4});
  expect_equal({"diloco", "buckets", "rabenseifner", {}, 5});
}

TEST_CASE("simulated fragments and delayed outer steps take the times of emulated ranks") {
  for (const Count fragments : {1, 2, 3, 6})
    for (const Count delay : {0, 1, 3})
      for (const double beta : {803.7, 80'370.}) {
        EmulatedRun s{.strategy = "diloco", .scheduler = "buckets", .algorithm = "ring"};
        s.beta = beta;
        s.fragments = fragments;
        s.delay = delay;
        INFO(fragments << " fragments, delay " << delay << ", beta " << beta);
        expect_equal(s);
      }
}

TEST_CASE("simulated steps of sharded strategies equal those of emulated ranks") {
  const struct {
    const char* strategy;
    Rank group;
  } sharded[] = {{"zero1", 0}, {"zero2", 0}, {"fsdp", 0}, {"hsdp", 2}, {"hsdp", 4}};
  for (const auto& one : sharded)
    for (const Rank ranks : unless_sanitized({2, 3, 4, 8}, {4}))
      for (const double beta : {80.7, 803.7, 8037.}) {
        if (one.group > 0 && (ranks % one.group != 0 || ranks == one.group)) continue;
        EmulatedRun s{.strategy = one.strategy, .scheduler = "buckets", .algorithm = "ring"};
        s.ranks = ranks;
        s.group = one.group;
        s.beta = beta;
        INFO(s.strategy << " on " << ranks << " ranks in groups of " << s.group << ", beta "
                        << beta);
        TrainingPlan plan = plan_of(s);
        plan.unit = kUnit;
        if (s.group > 0)
          plan.groups = std::make_shared<const Groups>(Groups::consecutive(ranks, s.group));
        const std::vector<Time> begins =
            simulate_training(plan, [&] { return network_of(s); }).begins;
        const std::vector<std::int64_t> real = emulated(s);
        // The weights of the first step are there from the start.
        for (std::size_t step = 2; step < kSimulatedSteps; ++step)
          CHECK((begins[step] - begins[step - 1]).count() == real[step] - real[step - 1]);
      }
}
