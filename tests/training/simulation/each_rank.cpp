// Simulated ranks take exactly the times of emulated ranks, which run the real trainer, exchange,
// scheduler, and messages on the same network.
#include <cmath>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulated_steps.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr int kSimulatedSteps = 5;

/// Variables of odd sizes, whose passes take the given picoseconds and twice that.
toy::CostsOnly odd_costs() {
  return toy::CostsOnly({{20'000, 70'000'000},
                         {37, 1'000'003},
                         {5, 0},
                         {4'096, 90'000'001},
                         {1, 500},
                         {9'999, 31'000'000}});
}

struct Setting {
  std::string strategy, scheduler, algorithm;
  Values scheduling = {};
  Rank ranks = 4;
  std::string topology = {};
  std::vector<double> slowdown = {};
  int segments = 1;
};

std::unique_ptr<simulator::Network> network_of(const Setting& s) {
  if (!s.topology.empty())
    return simulator::make_network(simulator::find_model("fluid"), {}, s.ranks,
                                   simulator::FabricSpec{.topology = s.topology});
  return simulator::make_network(simulator::find_model("alpha_beta"),
                                 {{"alpha", 3e6}, {"beta", 803.7}, {"gamma", 11.3}}, s.ranks);
}

/// Returns the begins of the steps in picoseconds, counted from the first.
std::vector<std::int64_t> emulated(const Setting& s) {
  toy::Run run;
  run.ranks = s.ranks;
  run.global_batch = s.ranks;
  run.samples = s.ranks * kSimulatedSteps;
  run.learning.strategy = s.strategy;
  run.learning.speed = 1e12;
  run.learning.check_every = 0;
  run.learning.route = s.algorithm;
  run.learning.segments = s.segments;
  run.learning.options.every = 2;
  run.learning.options.gradients.scheduler = s.scheduler;
  run.learning.options.gradients.scheduling = s.scheduling;
  run.make = [](Rank) { return std::make_unique<toy::CostsOnly>(odd_costs()); };
  run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = network_of(s);
    EmulationOptions options{.slowdown = s.slowdown};
    on_emulated_ranks(*network, ranks, body, options);
  };
  std::vector<std::int64_t> begins;
  double first = 0;
  run.each_step = [&](const StepReport& r, Rank rank) {
    if (rank != 0) return;
    if (begins.empty()) first = r.begin;
    begins.push_back(std::llround((r.begin - first) * kPicosecondsPerSecond));
  };
  toy::train(run);
  return begins;
}

TrainingPlan plan_of(const Setting& s) {
  TrainingPlan plan{.strategy = &find_strategy(s.strategy),
                    .every = 2,
                    .scheduler = &find_scheduler(s.scheduler),
                    .scheduling = s.scheduling,
                    .algorithm = &find_algorithm(s.algorithm),
                    .segments = s.segments,
                    .ranks = s.ranks,
                    .slowdown = s.slowdown,
                    .steps = kSimulatedSteps};
  const toy::CostsOnly costs = odd_costs();
  for (const Variable& v : costs.variables())
    plan.layers.push_back({v.name, Time{v.work}, Time{2 * v.work}, v.elements, {}});
  return plan;
}

std::vector<std::int64_t> simulated(const Setting& s) {
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

void expect_equal(const Setting& s) {
  INFO(s.strategy << " " << s.scheduler << " " << s.algorithm << " on " << s.ranks << " ranks "
                  << s.topology);
  CHECK(simulated(s) == emulated(s));
}

// For schedulers whose cycles begin at another time: only steps that repeat are compared.
void expect_equal_last_steps(const Setting& s) {
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

TEST_CASE("simulated steps equal emulated ones at 64 ranks") {
  if (kThreadSanitizer) return;
  expect_equal({"multi_worker", "buckets", "ring", {}, 64});
  expect_equal({"multi_worker", "fifo", "butterfly", {}, 64});
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

TEST_CASE("other synchronous strategies take the times of emulated ranks") {
  expect_equal({"central_storage", "buckets", "tree", {}, 5});
  expect_equal({"central_storage", "buckets", "master_worker", {}, 4});
  expect_equal({"local_sgd", "buckets", "ring", {}, 4});
  expect_equal({"diloco", "buckets", "rabenseifner", {}, 5});
}
