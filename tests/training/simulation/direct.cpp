// Simulated parameter servers and stale_synchronous workers take exactly the times of emulated
// ranks, which run the real strategies, messages, and scheduler of threads on the same network.
#include "training/simulation/direct.hpp"

#include <cmath>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/simulation/simulate_training.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr int kDirectSteps = 8;

/// Variables, and the picoseconds of their forward passes; backward passes take twice as long.
using Costs = std::vector<toy::CostsOnly::Cost>;
const Costs kOdd{{20'000, 70'000'000}, {37, 1'000'003},    {4'096, 90'000'001}, {1, 500},
                 {0, 3'000'000},       {9'999, 31'000'000}};
const Costs kEqual{
    {5'000, 10'000'000}, {5'000, 10'000'000}, {5'000, 10'000'000}, {5'000, 10'000'000}};
const Costs kOne{{50'000, 40'000'000}};

struct DirectRun {
  std::string strategy;
  Rank workers = 4, servers = 1;
  Count bound = 1;
  Costs costs = kOdd;
  std::vector<double> slowdown = {};  // by worker
  double jitter = 0, beta = 803.7;
  std::uint64_t seed = 1;
  std::string topology = {}, compressor = {}, scheduler = "buckets";
  CodecCost codec = {};

  Rank ranks() const { return workers + (find_strategy(strategy).has_servers ? servers : 0); }
  std::string text() const {
    return strategy + " of " + std::to_string(workers) + " workers, " + std::to_string(servers) +
           " servers, bound " + std::to_string(bound) + ", beta " + std::to_string(beta) +
           ", jitter " + std::to_string(jitter) + ", seed " + std::to_string(seed) + " " +
           topology + compressor + scheduler;
  }
};

std::unique_ptr<simulator::Network> network_of(const DirectRun& s) {
  if (!s.topology.empty())
    return simulator::make_network(simulator::find_model("fluid"), {}, s.ranks(),
                                   simulator::FabricSpec{.topology = s.topology});
  return simulator::make_network(simulator::find_model("alpha_beta"),
                                 {{"alpha", 3e6}, {"beta", s.beta}}, s.ranks());
}

/// Returns the begins of rank 0's steps in picoseconds, counted from the first, of training that
/// runs for one more step than the simulation, as a replay does.
std::vector<std::int64_t> emulated(const DirectRun& s) {
  toy::Run run;
  run.ranks = s.ranks();
  run.global_batch = s.workers;
  run.samples = s.workers * (kDirectSteps + 1);
  run.learning.strategy = s.strategy;
  run.learning.speed = 1e12;
  run.learning.check_every = 0;
  run.learning.options.values["servers"] = s.servers;
  run.learning.options.values["staleness"] = static_cast<double>(s.bound);
  run.learning.options.gradients.scheduler = s.scheduler;
  run.learning.options.gradients.codec = s.codec;
  if (!s.compressor.empty())
    run.learning.options.gradients.compressor = choose_compressor(s.compressor);
  run.make = [&](Rank) { return std::make_unique<toy::CostsOnly>(s.costs); };
  run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = network_of(s);
    std::vector<double> slowdown = s.slowdown;
    if (!slowdown.empty()) slowdown.resize(static_cast<std::size_t>(ranks), 1.0);
    on_emulated_ranks(*network, ranks, body,
                      {.slowdown = slowdown, .jitter = s.jitter, .seed = s.seed});
  };
  return toy::begins_of(run);
}

TrainingPlan plan_of(const DirectRun& s) {
  TrainingPlan plan{.strategy = &find_strategy(s.strategy),
                    .values = {{"staleness", static_cast<double>(s.bound)}},
                    .servers = s.ranks() - s.workers,
                    .scheduler = &find_scheduler(s.scheduler),
                    .algorithm = &find_algorithm("ring"),
                    .ranks = s.ranks(),
                    .slowdown = s.slowdown,
                    .jitter = s.jitter,
                    .seed = s.seed,
                    .steps = kDirectSteps};
  for (const auto& [elements, work] : s.costs)
    plan.layers.push_back({"a", Time{work}, Time{2 * work}, elements, {}});
  if (!s.compressor.empty())
    plan.compression = {.choice = choose_compressor(s.compressor), .codec = s.codec};
  return plan;
}

std::vector<std::int64_t> simulated(const DirectRun& s) {
  const SimulatedSteps steps = simulate_training(plan_of(s), [&] { return network_of(s); });
  REQUIRE(steps.begins.size() == kDirectSteps + 1);
  std::vector<std::int64_t> begins;
  for (const Time begin : steps.begins) begins.push_back((begin - steps.begins[0]).count());
  return begins;
}

void expect_equal(const DirectRun& s) {
  INFO(s.text());
  CHECK(simulated(s) == emulated(s));
}

std::vector<std::string> with_servers() { return {"parameter_server", "async_parameter_server"}; }

}  // namespace

TEST_CASE("simulated parameter servers take the times of emulated ranks to the picosecond") {
  for (const std::string& strategy : with_servers())
    for (const Rank workers : unless_sanitized({1, 2, 3, 5, 8}, {3}))
      for (const Rank servers : unless_sanitized({1, 2, 3, 9}, {2, 9}))
        for (const double beta : unless_sanitized({8.037, 803.7, 8037.}, {803.7}))
          expect_equal(
              {.strategy = strategy, .workers = workers, .servers = servers, .beta = beta});
}

TEST_CASE("simulated stale workers take the times of emulated ranks to the picosecond") {
  for (const Rank workers : unless_sanitized({1, 2, 3, 5, 8}, {3}))
    for (const Count bound : {0, 1, 3, 100})
      for (const double beta : {8.037, 803.7, 80'370.})
        expect_equal(
            {.strategy = "stale_synchronous", .workers = workers, .bound = bound, .beta = beta});
}

TEST_CASE(
    "simulated servers and stale workers with stragglers and jitter take the times of emulated "
    "ranks") {
  const auto slowdowns = unless_sanitized<std::vector<double>>({{}, {3, 1, 1}, {1, 1, 2.5}, {1, 4}},
                                                               {{3, 1, 1}, {1, 4}});
  for (const char* strategy : {"parameter_server", "async_parameter_server", "stale_synchronous"})
    for (const std::vector<double>& slowdown : slowdowns)
      for (const double jitter : {0., 0.3})
        for (const std::uint64_t seed : {1, 7}) {
          if ((jitter == 0 || kSanitized) && seed != 1) continue;
          for (const Count bound : unless_sanitized<Count>({0, 2, 50}, {0, 2})) {
            if (bound > 0 && find_strategy(strategy).has_servers) continue;
            expect_equal({.strategy = strategy,
                          .workers = 5,
                          .servers = 2,
                          .bound = bound,
                          .slowdown = slowdown,
                          .jitter = jitter,
                          .seed = seed});
          }
        }
}

TEST_CASE(
    "equal tensors, whose messages tie, and a single tensor take the times of emulated ranks") {
  for (const Costs& costs : {kEqual, kOne}) {
    for (const std::string& strategy : with_servers())
      for (const Rank servers : unless_sanitized({1, 2, 4, 6}, {2, 6}))
        expect_equal({.strategy = strategy, .workers = 4, .servers = servers, .costs = costs});
    expect_equal({.strategy = "stale_synchronous", .workers = 4, .bound = 0, .costs = costs});
    expect_equal(
        {.strategy = "stale_synchronous", .workers = 4, .bound = 2, .costs = costs, .beta = 8e4});
  }
}

TEST_CASE("communication is that of the slowest worker, or of all if none waits for another") {
  const auto steps_of = [](const char* strategy, std::vector<double> slowdown) {
    const DirectRun run{.strategy = strategy, .slowdown = std::move(slowdown), .beta = 8.037};
    return simulate_training(plan_of(run), [&] { return network_of(run); });
  };
  for (const char* strategy : {"parameter_server", "stale_synchronous"}) {
    INFO(strategy);
    const SimulatedSteps fast = steps_of(strategy, {1, 1, 1, 9}),
                         slow = steps_of(strategy, {9, 1, 1, 1});
    CHECK(slow.exposed == slow.communication);  // rank 0 is the slowest
    CHECK(fast.communication < 0.5 * fast.exposed);  // which waits for the slow one's passes
  }
  const SimulatedSteps last = steps_of("async_parameter_server", {1, 1, 1, 9}),
                       first = steps_of("async_parameter_server", {9, 1, 1, 1});
  CHECK(last.step() == Approx(first.step()).epsilon(0.1));
  CHECK(last.communication == Approx(first.communication).epsilon(0.2));
  CHECK(last.exposed == last.communication);
}

TEST_CASE("simulated servers and stale workers on shared links take the times of emulated ranks") {
  for (const std::string& strategy : with_servers())
    for (const Rank servers : {1, 3})
      expect_equal(
          {.strategy = strategy, .workers = 5, .servers = servers, .topology = "fat_tree:k=4"});
  expect_equal(
      {.strategy = "stale_synchronous", .workers = 6, .bound = 0, .topology = "fat_tree:k=4"});
  expect_equal({.strategy = "stale_synchronous",
                .workers = 6,
                .slowdown = {1, 3},
                .topology = "fat_tree:k=4"});
}

TEST_CASE("simulated pushes of codes take the times of emulated ranks, with their coding") {
  for (const std::string& strategy : with_servers())
    for (const char* compressor : {"fp16", "topk", "int8", "onebit"})
      for (const CodecCost codec : {CodecCost{}, CodecCost{2e-9, 1e-9}, CodecCost{50e-9, 200e-9}})
        for (const Rank servers : {1, 2})
          expect_equal({.strategy = strategy,
                        .workers = 3,
                        .servers = servers,
                        .slowdown = {1, 2},
                        .compressor = compressor,
                        .codec = codec});
}

TEST_CASE("staggered workers of simulated servers take the times of emulated ranks") {
  for (const Rank workers : {1, 2, 5})
    for (const double beta : {803.7, 8037.})
      expect_equal({.strategy = "async_parameter_server",
                    .workers = workers,
                    .beta = beta,
                    .scheduler = "stagger"});
}

TEST_CASE("more workers than are exact take the times of emulated ranks with one server") {
  if (kThreadSanitizer) return;
  const Costs few{{9'000, 10'000'000}, {100, 30'000'000}, {9'000, 20'000'000}};
  for (const std::string& strategy : with_servers())
    for (const double beta : {803.7, 8037.})
      expect_equal(
          {.strategy = strategy, .workers = kMostExactWorkers + 6, .costs = few, .beta = beta});
}

TEST_CASE("a step of parameter servers is computation and messages in sequence") {
  constexpr Count kElements = 50'000, kWork = 40'000'000, kLittle = 4'000'000;
  const auto period = [](DirectRun s) {
    s.beta = 100;
    s.costs = {{kElements, s.costs.front().work}};
    return simulate_training(plan_of(s), [&] { return network_of(s); }).period();
  };
  constexpr double kMessage = 3e6 + 4 * kElements * 100, kPasses = 3 * kWork;
  for (const Rank workers : {1, 2, 5}) {
    // The replies of a step stagger the pushes of the next one.
    CHECK(period({.strategy = "parameter_server", .workers = workers, .costs = kOne}) ==
          kPasses + (workers + 1) * kMessage);
    CHECK(period({.strategy = "async_parameter_server", .workers = workers, .costs = kOne}) ==
          kPasses + 2 * kMessage);
  }
  // A server receives the pushes of the first workers while it still replies to the others.
  for (const Rank workers : {2, 5, 8})
    CHECK(period({.strategy = "parameter_server",
                  .workers = workers,
                  .costs = {{kElements, kLittle}}}) == 3 * kLittle + (workers + 1) * kMessage);
  // Both ports of the server are busy all the time.
  CHECK(period({.strategy = "async_parameter_server", .workers = 5, .costs = {{1, 0}}}) ==
        5 * kMessage);
  CHECK(period({.strategy = "stale_synchronous", .workers = 2, .bound = 0, .costs = kOne}) ==
        kPasses + kMessage);
  CHECK(period({.strategy = "stale_synchronous", .workers = 2, .bound = 1, .costs = kOne}) ==
        kPasses);
  CHECK(period({.strategy = "stale_synchronous", .workers = 2, .bound = 1, .costs = {{1, 0}}}) ==
        kMessage);
  CHECK(period({.strategy = "stale_synchronous", .workers = 1, .bound = 0, .costs = kOne}) ==
        kPasses);
  // The encoder, and then the decoder of both workers, one after the other.
  CHECK(period({.strategy = "async_parameter_server",
                .workers = 1,
                .costs = kOne,
                .compressor = "fp16",
                .codec = {2e-9, 7e-9}}) ==
        kPasses + kElements * 9e3 + 3e6 + 2 * kElements * 100 + kMessage);
  CHECK(period(
            {.strategy = "parameter_server", .workers = 3, .costs = kOne, .slowdown = {1, 4, 1}}) ==
        4 * kPasses + 2 * kMessage + kMessage);
}

TEST_CASE("direct strategies count bytes, start-up, and what rank 0 waits for") {
  const auto steps_of = [](const DirectRun& s) {
    return simulate_training(plan_of(s), [&] { return network_of(s); });
  };
  const DirectRun two{.strategy = "parameter_server", .workers = 3, .servers = 2, .costs = kOne};
  const SimulatedSteps servers = steps_of(two);
  CHECK(servers.sent == 3 * 2 * 4 * 50'000 / 5.);
  CHECK(servers.each_rank);
  CHECK(servers.collectives == 1);
  // Three replies, one after another; only the last worker's push comes after all of them.
  CHECK(servers.startup == (3 + 1) * (3e6 + std::llround(4 * 803.7)));
  CHECK(servers.exposed == servers.communication);
  CHECK(servers.exposed == servers.period() - 3 * 40e6);
  const SimulatedSteps coded = steps_of({.strategy = "async_parameter_server",
                                         .workers = 1,
                                         .costs = kOne,
                                         .compressor = "fp16",
                                         .codec = {2e-9, 7e-9}});
  CHECK(coded.codec == 50'000 * 9e3);
  DirectRun half = two;
  half.compressor = "fp16";
  CHECK(steps_of(half).sent == 3 * (2 + 4) * 50'000 / 5.);
  CHECK(steps_of({.strategy = "stale_synchronous", .workers = 4, .costs = kOne}).sent ==
        3 * 4 * 50'000);
  CHECK(steps_of({.strategy = "stale_synchronous", .workers = 1, .costs = kOne}).startup == 0);
}

TEST_CASE("a trace of simulated servers has passes and exchanges of workers only") {
  const DirectRun s{.strategy = "async_parameter_server", .workers = 3, .servers = 2};
  const SimulatedSteps steps = simulate_training(
      plan_of(s), [&] { return network_of(s); }, Ranks::automatic, true);
  Count forward = 0, exchanges = 0;
  for (const StepSpan& span : steps.spans) {
    CHECK(span.worker < 3);
    CHECK(span.end >= span.begin);
    forward += span.worker == 0 && span.name == "forward" ? 1 : 0;
    exchanges += span.worker == 0 && span.kind == StepSpan::Kind::communicate ? 1 : 0;
  }
  CHECK(exchanges == kDirectSteps);
  CHECK(forward == kDirectSteps * 6 + 1);  // the last step begins
}

TEST_CASE("direct strategies that cannot be simulated are refused with the value and the remedy") {
  const auto refused = [](DirectRun s, const char* part, auto change) {
    TrainingPlan plan = plan_of(s);
    change(plan);
    return toy::fails(Blame::usage, part,
                      [&] { simulate_training(plan, [&] { return network_of(s); }); });
  };
  const DirectRun servers{.strategy = "parameter_server"}, stale{.strategy = "stale_synchronous"};
  CHECK(refused(servers, "has 0 servers and 5 workers", [](auto& p) { p.servers = 0; }));
  CHECK(refused(servers, "has 5 servers and 0 workers", [](auto& p) { p.servers = 5; }));
  CHECK(refused(stale, "has 1 servers and 3 workers", [](auto& p) { p.servers = 1; }));
  CHECK(refused(stale, "parameter staleness of strategy stale_synchronous is -1",
                [](auto& p) { p.values["staleness"] = -1; }));
  CHECK(refused(servers, "5 slowdown factors for 4 workers", [](auto& p) {
    p.slowdown = {1, 1, 1, 1, 1};
  }));
  CHECK(refused(servers, "does not use scheduler fifo: leave it out",
                [](auto& p) { p.scheduler = &find_scheduler("fifo"); }));
  CHECK(refused({.strategy = "async_parameter_server"}, "or use stagger",
                [](auto& p) { p.scheduler = &find_scheduler("fifo"); }));
  CHECK(refused({.strategy = "parameter_server"}, "does not use scheduler stagger: leave it out",
                [](auto& p) { p.scheduler = &find_scheduler("stagger"); }));
  CHECK(refused(servers, "no parameters to exchange", [](auto& p) {
    for (Layer& l : p.layers) l.elements = 0;
  }));
  CHECK(refused({.strategy = "parameter_server", .compressor = "threshold"},
                "size a server cannot know", [](auto&) {}));
  CHECK(refused({.strategy = "parameter_server", .compressor = "powersgd"},
                "sums over all workers between its passes", [](auto&) {}));
  CHECK(refused({.strategy = "stale_synchronous", .compressor = "fp16"},
                "does not use a compressor", [](auto&) {}));
  CHECK(refused(servers, "3 steps are too few", [](auto& p) { p.steps = 3; }));
  CHECK(refused(servers, "more than the 100000000 that are simulated: use fewer steps or workers",
                [](auto& p) { p.steps = 10'000'000; }));
  CHECK(refused(servers, "sends 400000040 messages in 10000000 steps of 4 workers",
                [](auto& p) { p.steps = 10'000'000; }));
  CHECK(refused(
      stale, "more than the 8000000 that are simulated: use fewer workers or a smaller staleness",
      [](auto& p) { p.values["staleness"] = p.steps = 1'000'000; }));
}
