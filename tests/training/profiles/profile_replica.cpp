// Replays of a profile: on emulated ranks they take the simulated times, on threads at least the
// profile's, and they exchange gradients of the profile's sizes.
#include "training/profiles/profile_replica.hpp"

#include <cmath>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/simulation/collective_times.hpp"
#include "training/simulation/simulated_steps.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr int kReplayedSteps = 5;

/// 61,000 parameters in four layers, one of them without any; a step takes 0.91 ms.
ModelProfile replayed_profile() {
  return parse_profile(
      R"({"profile": 1, "name": "small", "device": "none", "batch": 2, "samples": "images",
    "parameters": 61000, "gradient_bytes": 4, "optimizer_ps_per_parameter": 1000,
    "sources": {"parameters": "a", "forward_us": "b", "backward_us": "c",
      "optimizer_ps_per_parameter": "d"},
    "layers": [
      {"name": "one", "tensors": {"bias": 500, "weight": 20000}, "forward_us": 90,
       "backward_us": 170.25},
      {"name": "pool", "tensors": {}, "forward_us": 10, "backward_us": 20},
      {"name": "two", "tensors": {"weight": 40000}, "forward_us": 100, "backward_us": 200},
      {"name": "three", "tensors": {"weight": 500}, "forward_us": 60, "backward_us": 200}]})",
      "small.json");
}

toy::Run replay_of(Rank ranks, const char* scheduler, const char* strategy) {
  toy::Run run;
  run.ranks = ranks;
  run.global_batch = ranks;
  run.samples = ranks * kReplayedSteps;
  run.learning.strategy = strategy;
  run.learning.check_every = 0;
  run.learning.optimizer.kind = OptimizerOptions::Kind::none;
  run.learning.passes = passes_of(replayed_profile());
  run.learning.options.gradients.scheduler = scheduler;
  run.learning.options.values["every"] = 2;
  run.make = [](Rank) { return std::make_unique<ProfileReplica>(replayed_profile()); };
  return run;
}

std::unique_ptr<simulator::Network> replay_network(Rank ranks) {
  return simulator::make_network(simulator::find_model("alpha_beta"),
                                 {{"alpha", 3e6}, {"beta", 803.7}}, ranks);
}

}  // namespace

TEST_CASE("a replay on emulated ranks takes exactly the simulated steps") {
  for (const char* strategy : {"multi_worker", "diloco"})
    for (const char* scheduler : {"fifo", "buckets", "dear", "priority"})
      for (const Rank ranks : {2, 5}) {
        const bool scheduled = find_strategy(strategy).schedules;
        if (!scheduled && scheduler != std::string_view("buckets")) continue;
        INFO(strategy << " " << scheduler << " on " << ranks << " ranks");
        toy::Run run = replay_of(ranks, scheduler, strategy);
        run.world = [](Rank number, const std::function<void(Communicator&)>& body) {
          on_emulated_ranks(*replay_network(number), number, body, {});
        };
        std::vector<std::int64_t> replayed, simulated;
        run.each_step = [&, first = 0.0](const StepReport& r, Rank rank) mutable {
          if (rank != 0) return;
          if (replayed.empty()) first = r.begin;
          replayed.push_back(std::llround((r.begin - first) * kPicosecondsPerSecond));
        };
        toy::train(run);
        const TrainingPlan plan{.layers = replayed_profile().tensors(),
                                .strategy = &find_strategy(strategy),
                                .values = {{"every", 2}},
                                .scheduler = &find_scheduler(scheduler),
                                .algorithm = &find_algorithm("ring"),
                                .ranks = ranks,
                                .steps = kReplayedSteps};
        CollectiveTimes times(plan, [&] { return replay_network(ranks); });
        const auto network = replay_network(ranks);
        const SimulatedSteps steps = simulate_each_rank(plan, *network, times.link());
        for (int s = 0; s < kReplayedSteps; ++s)
          simulated.push_back(
              (steps.begins[static_cast<std::size_t>(s)] - steps.begins[0]).count());
        CHECK(replayed == simulated);
      }
}

TEST_CASE("a replay on threads waits for the profile's times and sends its gradients") {
  const double step = picoseconds(replayed_profile().step()) / kPicosecondsPerSecond;
  CHECK(step == Approx(0.00091125));
  for (const bool overlap : {true, false})
    for (const char* scheduler : {"buckets", "priority"}) {
      INFO(scheduler << (overlap ? ", overlapped" : ""));
      toy::Run run = replay_of(3, scheduler, "mirrored");
      run.learning.overlap = overlap;
      double shortest = 1e9;
      run.each_step = [&](const StepReport& r, Rank rank) {
        if (rank == 0) shortest = std::min(shortest, r.seconds);
      };
      const toy::Result result = toy::train(run);
      CHECK(shortest >= step - 1e-9);
      REQUIRE(result.epochs.size() == 1);
      CHECK(result.epochs[0].bytes_sent == Count{kReplayedSteps} * 2 * 2 * 61'000 * 4);
      CHECK(result.weights[0].size() == 61'000);
    }
}

TEST_CASE("a replay sends codes of matrices nearest to a square") {
  toy::Run run = replay_of(3, "buckets", "mirrored");
  const CompressorChoice choice = choose_compressor("powersgd:rank=2");
  run.learning.options.gradients.compressor = choice;
  run.make = [&](Rank) {
    return std::make_unique<ProfileReplica>(replayed_profile(), choice.kind);
  };
  const ProfileReplica replica(replayed_profile(), choice.kind);
  CHECK(replica.variables()[1].shape == std::vector<Count>{141, 142});
  CHECK(replica.variables()[1].elements == 141 * 142);
  CHECK(replica.variables()[3].shape == std::vector<Count>{200, 200});
  const Count floats = 2 * (2 * (22 + 23) + 141 + 142 + 200 + 200);
  const toy::Result result = toy::train(run);
  REQUIRE(result.epochs.size() == 1);
  CHECK(result.epochs[0].bytes_sent == Count{kReplayedSteps} * 2 * 2 * floats * 4);
}

TEST_CASE("gradients of two bytes are half as many floats, but all of them if they are encoded") {
  ModelProfile profile = replayed_profile();
  profile.gradient_bytes = 2;
  const CompressorChoice choice = choose_compressor("int8");
  CHECK(ProfileReplica(profile).gradients().size() == 61'000 / 2);
  CHECK(ProfileReplica(profile, choice.kind).gradients().size() == 61'000);
  CHECK(ProfileReplica::bytes(profile) == 2. * 2 * 61'000);
  CHECK(ProfileReplica::bytes(profile, true) == 2. * 4 * 61'000);
}

TEST_CASE("a replay on the machine's clock makes up for sleeps that end late") {
  // 200 sleeps of 50 us: without that, each would end some 50 us late.
  std::vector<PassTime> passes(100, {50e-6, 50e-6});
  double shortest = 1e9;
  for (int attempt = 0; attempt < 10; ++attempt) {  // on a busy machine
    ComputeModel model(machine_clock(), passes);
    const double begin = machine_clock().now();
    model.begin(1);
    for (std::size_t v = 0; v < passes.size(); ++v) model.need(v, [] {});
    for (std::size_t v = passes.size(); v-- > 0;) model.ready(v, [] {});
    shortest = std::min(shortest, machine_clock().now() - begin);
  }
  CHECK(shortest >= 0.01 - 1e-9);
  CHECK(shortest < 0.0125);
}

TEST_CASE(
    "a replay's gradients are those of the profile, in every step, and slowdown scales times") {
  ProfileReplica replica(replayed_profile());
  replica.on_need([](std::size_t) {});
  std::vector<std::size_t> order;
  replica.on_ready([&](std::size_t v) { order.push_back(v); });
  CHECK(replica.variables().size() == 5);
  CHECK(ProfileReplica::bytes(replayed_profile()) == 2. * 4 * 61'000);
  replica.learn({}, 1);
  const std::vector<float> first(replica.gradients().begin(), replica.gradients().end());
  std::fill(replica.gradients().begin(), replica.gradients().end(), 7.F);
  replica.learn({}, 1);
  CHECK(std::equal(first.begin(), first.end(), replica.gradients().begin()));
  CHECK(order == std::vector<std::size_t>{4, 3, 2, 1, 0, 4, 3, 2, 1, 0});
  CHECK(*std::max_element(first.begin(), first.end()) <= 1);
  CHECK(*std::min_element(first.begin(), first.end()) < -0.99);
  const auto once = passes_of(replayed_profile()), twice = passes_of(replayed_profile(), 2);
  CHECK(once.size() == 5);
  CHECK(once[2].backward == Approx(20e-6));  // without parameters
  CHECK(twice[3].forward == Approx(2 * once[3].forward));
}
