// One rank for all, the times of collectives, and plans that cannot be simulated.
#include "training/simulation/simulate_training.hpp"

#include <set>

#include "algorithms/base/error.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/schedulers/timeline.hpp"
#include "training/simulation/collective_times.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

constexpr Count kStudied = 20'000;  // elements that an allreduce of two ranks exchanges in a unit

MakeNetwork ports(Rank ranks, double alpha = 0, double beta = 1e9 / (4 * kStudied)) {
  return [=] {
    return simulator::make_network(simulator::find_model("alpha_beta"),
                                   {{"alpha", alpha}, {"beta", beta}}, ranks);
  };
}

/// The reference iteration: forward 1, backward 2, communication 2, 2, 6 units of 1 ms.
TrainingPlan reference(const char* scheduler, Values values = {}) {
  const Time unit = 1'000 * kMicrosecond;
  TrainingPlan plan{.strategy = &find_strategy("mirrored"),
                    .scheduler = &find_scheduler(scheduler),
                    .scheduling = std::move(values),
                    .algorithm = &find_algorithm("ring"),
                    .ranks = 2,
                    .steps = 24};
  for (const Count units : {2, 2, 6})
    plan.layers.push_back({"layer", unit, 2 * unit, units * kStudied, {}});
  return plan;
}

double units(const SimulatedSteps& steps) { return steps.period() / 1e9; }

std::string refusal_of(const TrainingPlan& plan) {
  try {
    check(plan);
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::usage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the reference vectors hold for each rank and for one rank that represents all") {
  const struct {
    const char* scheduler;
    Values values;
    double alpha, without, with;
  } all[] = {
      {"none", {}, 0.5, 19, 20.5},
      {"buckets", {{"first_bucket", 1e9}, {"bucket", 1e9}}, 0.5, 19, 19.5},
      {"buckets", {{"first_bucket", 16. * kStudied}, {"bucket", 16. * kStudied}}, 0.5, 15, 16},
      {"fifo", {}, 0.5, 15, 16.5},
      {"dear", {}, 1, 13, 16}};
  for (const auto& one : all)
    for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
      INFO(one.scheduler << " " << static_cast<int>(ranks));
      const TrainingPlan plan = reference(one.scheduler, one.values);
      CHECK(units(simulate_training(plan, ports(2), ranks)) == Approx(one.without).epsilon(1e-6));
      CHECK(units(simulate_training(plan, ports(2, one.alpha / 2 * 1e9), ranks)) ==
            Approx(one.with).epsilon(1e-6));
    }
}

TEST_CASE("one rank represents all exactly if all finish each collective together") {
  for (const char* scheduler : {"none", "fifo", "buckets", "dear"})
    for (const Rank ranks : {2, 4, 8}) {
      INFO(scheduler << " on " << ranks);
      TrainingPlan plan = reference(scheduler);
      plan.ranks = ranks;
      const MakeNetwork network = ports(ranks, 2e6);
      const SimulatedSteps each = simulate_training(plan, network, Ranks::each),
                           one = simulate_training(plan, network, Ranks::one_for_all);
      CHECK(each.each_rank);
      CHECK(!one.each_rank);
      CHECK(each.period() == Approx(one.period()).epsilon(1e-9));
      CHECK(each.sent == Approx(one.sent));
      CHECK(each.communication == Approx(one.communication).epsilon(1e-6));
      CHECK(one.begins.size() == static_cast<std::size_t>(plan.steps) + 1);
      if (scheduler != std::string_view("dear"))  // which has no barrier
        CHECK(each.exposed == Approx(one.exposed).epsilon(1e-6));
      CHECK(each.collectives == Approx(one.collectives));
    }
}

TEST_CASE("a rank sends 2 n (P - 1) / P bytes per step") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 5;
  const SimulatedSteps steps = simulate_training(plan, ports(5));
  CHECK(steps.sent == Approx(2. * 10 * kStudied * 4 * 4 / 5));
  CHECK(steps.collectives == Approx(3));
}

TEST_CASE("a thousand ranks are simulated by one, and no ranks communicate alone") {
  const ModelProfile profile = load_profile("resnet50");
  TrainingPlan plan{.layers = profile.tensors(),
                    .strategy = &find_strategy("multi_worker"),
                    .scheduler = &find_scheduler("buckets"),
                    .algorithm = &find_algorithm("rabenseifner"),
                    .ranks = 1024};
  const SimulatedSteps many = simulate_training(plan, ports(1024, 1e7, 80));
  CHECK(!many.each_rank);
  CHECK(many.period() > computation_of(plan));
  plan.ranks = 1;
  const SimulatedSteps alone = simulate_training(plan, ports(1));
  CHECK(alone.period() == Approx(picoseconds(profile.step())));
  CHECK(alone.sent == 0);
  CHECK(alone.communication == 0);
}

TEST_CASE("stragglers and jitter lengthen the step of all") {
  TrainingPlan plan = reference("fifo");
  plan.slowdown = {1, 2};
  const double slowed = units(simulate_training(plan, ports(2), Ranks::one_for_all));
  CHECK(slowed >= 18);
  CHECK(units(simulate_training(plan, ports(2), Ranks::each)) == Approx(slowed).epsilon(0.02));
  plan.slowdown.clear();
  plan.jitter = 0.5;
  const double jittered = computation_of(plan) / 1e9;
  CHECK(jittered > 9);
  CHECK(jittered < 13.5);
}

TEST_CASE("the slowest rank is the one of all factors, also with jitter") {
  TrainingPlan plan = reference("fifo");
  plan.slowdown = {3, 1};
  plan.jitter = 0.1;
  CHECK(computation_of(plan) / 1e9 >= 27);
  CHECK(computation_of(plan) / 1e9 <= 27 * 1.1);
}

TEST_CASE("workers of local averages wait for the slowest mean of the steps between") {
  // Uniform times of 3 to 6 ms. The largest of eight means of n: 4.5 ms, and 1.42 deviations of
  // 3 ms / sqrt(12 n); of n = 1: 8/9 of the way.
  TrainingPlan plan = reference("fifo");
  plan.layers = {{"layer", 1'000 * kMicrosecond, 2'000 * kMicrosecond, 1'000, {}}};
  plan.ranks = 8;
  plan.jitter = 1;
  CHECK(computation_of(plan) / 1e6 == Approx(3'000 * (1 + 8 / 9.)).epsilon(0.04));
  for (const char* strategy : {"local_sgd", "diloco"})
    for (const auto& [every, us] : {std::pair{8, 4'936.}, {64, 4'653.}}) {
      INFO(strategy << " " << every);
      plan.strategy = &find_strategy(strategy);
      plan.values = {{"every", every}};
      CHECK(computation_of(plan) / 1e6 == Approx(us).epsilon(0.02));
      const SimulatedSteps steps = simulate_training(plan, ports(8, 0, 0), Ranks::one_for_all);
      CHECK(steps.period() / 1e6 == Approx(us).epsilon(0.02));
    }
}

TEST_CASE("the time of a collective is that of the rank that comes last, also with jitter") {
  for (const char* scheduler : {"fifo", "none"}) {
    INFO(scheduler);
    TrainingPlan plan = reference(scheduler);
    plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {}};
    const double even = simulate_training(plan, ports(2), Ranks::each).communication;
    plan.jitter = 1;
    for (const std::uint64_t seed : {1, 2}) {
      plan.seed = seed;
      const SimulatedSteps steps = simulate_training(plan, ports(2), Ranks::each);
      CHECK(steps.communication == Approx(even).epsilon(1e-6));
      CHECK(steps.collectives == Approx(3));
    }
  }
}

TEST_CASE("a slow worker codes slowly, too, and all wait for it") {
  for (const char* strategy : {"mirrored", "diloco"}) {
    INFO(strategy);
    TrainingPlan plan = reference("fifo");
    plan.strategy = &find_strategy(strategy);
    plan.values = {{"every", 2}};
    plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {10e-9, 5e-9}};
    const SimulatedSteps even = simulate_training(plan, ports(2), Ranks::one_for_all);
    for (const std::vector<double>& slowdown : {std::vector<double>{1, 3}, {3, 1}}) {
      plan.slowdown = slowdown;
      const SimulatedSteps each = simulate_training(plan, ports(2), Ranks::each),
                           one = simulate_training(plan, ports(2), Ranks::one_for_all);
      CHECK(one.period() == Approx(each.period()).epsilon(1e-6));
      CHECK(one.codec == Approx(each.codec).epsilon(1e-6));
      CHECK(one.codec == Approx(3 * even.codec).epsilon(1e-6));
      CHECK(one.communication == Approx(each.communication).epsilon(1e-6));
    }
  }
}

TEST_CASE("jitter differs from pass to pass") {
  // The same factor for all passes of a rank would make all steps equal.
  TrainingPlan plan = reference("fifo");
  plan.jitter = 0.5;
  plan.seed = 3;
  const SimulatedSteps steps = simulate_training(plan, ports(2, 0, 0), Ranks::each);
  std::set<Time> durations;
  for (std::size_t i = 1; i < steps.begins.size(); ++i)
    durations.insert(steps.begins[i] - steps.begins[i - 1]);
  CHECK(durations.size() > 20);
}

TEST_CASE("a layer without parameters is not waited for") {
  for (const char* scheduler : {"fifo", "buckets", "priority"}) {
    INFO(scheduler);
    TrainingPlan plan = reference(scheduler);
    plan.layers.insert(plan.layers.begin() + 1, {"empty", Time{}, Time{}, 0, {}});
    const TrainingPlan without = reference(scheduler);
    CHECK(simulate_training(plan, ports(2), Ranks::each).period() ==
          simulate_training(without, ports(2), Ranks::each).period());
  }
}

TEST_CASE("local averages take their part of each step") {
  TrainingPlan plan = reference("fifo");
  for (const char* name : {"local_sgd", "diloco"}) {
    plan.strategy = &find_strategy(name);
    plan.values = {{"every", 4}};
    const SimulatedSteps steps = simulate_training(plan, ports(2, 1e9));
    CHECK(steps.collectives == Approx(0.25));
    CHECK(steps.sent == Approx(10. * kStudied * 4 / 4));
    CHECK(steps.communication / 1e9 == Approx((10 + 2) / 4.).epsilon(1e-6));
    CHECK(units(steps) == Approx(9 + 3).epsilon(1e-6));
  }
}

TEST_CASE("codes of matrices have the size of the nearest square ones") {
  TrainingPlan plan = reference("fifo");
  plan.layers = {{"square", 5 * kMicrosecond, 5 * kMicrosecond, 1'000'000, {}}};
  plan.compression = {choose_compressor("powersgd:rank=4"), Aggregation::allreduce, {}};
  // Two thin matrices of 4 x 1000 floats, once to and once from the other rank.
  CHECK(simulate_training(plan, ports(2, 1e9)).sent == Approx(2 * 4 * 1'000 * 4));
  // A slice of a matrix is none.
  const Bundle slice{Collective::allreduce, {{0, 1'000, 10'000}}};
  CHECK(transmissions_of(plan, slice)[0].elements == 4 * 10'000);
}

TEST_CASE("codes that are encoded again go straight to the owners of chunks, with headers") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 8;
  plan.algorithm = &find_algorithm("circulant");
  plan.compression = {choose_compressor("int8"), Aggregation::requantize, {}};
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    const SimulatedSteps steps = simulate_training(plan, ports(8, 1e9, 0), ranks);
    CHECK(steps.collectives == Approx(3 * 2));
    CHECK(steps.startup / 1e9 == Approx(3 * (7 + 3)));  // 7 rounds, and 3 of the all-gather
    CHECK(steps.communication / 1e9 == Approx(3 * (7 + 3)));
    // Eight codes of 5,000 elements in 5 buckets, twice, and of 15,000 in 15.
    CHECK(steps.sent == Approx(2 * 7. * (2 * (5'000 + 5 * 8) + 15'000 + 15 * 8)));
  }
}

TEST_CASE("codes of gradients of two bytes are as large as those of four") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 4;
  plan.gradient_bytes = 2;
  constexpr double kElements = 2. * 10 * kStudied;  // two in each word
  const double dense = simulate_training(plan, ports(4)).sent;
  CHECK(dense == Approx(2 * kElements * 2 * 3 / 4));
  plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {1e-9, 2e-9}};
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    const SimulatedSteps coded = simulate_training(plan, ports(4), ranks);
    CHECK(coded.sent == Approx(dense));
    CHECK(coded.codec == Approx(kElements * 3000));
  }
  plan.compression = {choose_compressor("topk:ratio=0.01"), Aggregation::all_gather, {}};
  CHECK(simulate_training(plan, ports(4)).sent == Approx(3 * kElements * 0.01 * 8));
  plan = reference("buckets");
  plan.strategy = &find_strategy("parameter_server");
  plan.ranks = 3;
  plan.servers = 1;
  plan.gradient_bytes = 2;
  plan.compression = {.choice = choose_compressor("fp16"), .codec = {1e-9, 0}};
  const SimulatedSteps pushed = simulate_training(plan, ports(3));
  CHECK(pushed.sent == Approx(2 * (kElements * 2 + kElements * 2) / 3));
  CHECK(pushed.codec == Approx(kElements * 1000));
}

TEST_CASE("a multiple of the bandwidth changes the time of bytes, not that of codes and start-up") {
  const auto period = [](TrainingPlan plan, Count times, double beta, Ranks ranks) {
    plan.bandwidth = times;
    return simulate_training(plan, ports(plan.ranks, 1e8, beta), ranks).period();
  };
  TrainingPlan coded = reference("fifo"), servers = reference("buckets");
  coded.compression = {choose_compressor("int8"), Aggregation::all_gather, {10e-9, 10e-9}};
  servers.strategy = &find_strategy("parameter_server");
  servers.ranks = 3;
  servers.servers = 1;
  for (const TrainingPlan& plan : {reference("fifo"), coded, servers})
    for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
      const double slow = period(plan, 1, 20'000, ranks), fast = period(plan, 1, 10'000, ranks);
      CHECK(fast < 0.99 * slow);
      CHECK(period(plan, 2, 20'000, ranks) == Approx(fast).epsilon(1e-6));
    }
}

TEST_CASE("announcements delay each exchange of a leader") {
  TrainingPlan led = reference("priority", {{"slice", 1e9}});
  const MakeNetwork network = ports(2, 1e9, 0);
  const double one = units(simulate_training(led, network, Ranks::one_for_all));
  // The last exchange, which no pass hides: a broadcast of one start-up and an allreduce of two.
  CHECK(one >= 9 + 3);
  CHECK(units(simulate_training(led, network, Ranks::each)) == Approx(one).epsilon(0.1));
  const SimulatedSteps fifo = simulate_training(reference("fifo"), network, Ranks::each);
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    const SimulatedSteps steps = simulate_training(led, network, ranks);
    CHECK(steps.communication == Approx(3 * 3e9).epsilon(1e-3));
    CHECK(steps.startup == Approx(steps.communication).epsilon(1e-3));
    CHECK(steps.sent == Approx(fifo.sent));  // gradients only
    CHECK(steps.collectives == Approx(3));
  }
}

TEST_CASE("start-up is that of every collective of a step") {
  TrainingPlan plan = reference("fifo");
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    const SimulatedSteps steps = simulate_training(plan, ports(2, 1e9, 0), ranks);
    CHECK(steps.startup / 1e9 == Approx(3 * 2));  // two rounds of a ring of two, thrice
    const SimulatedSteps halves = simulate_training(reference("dear"), ports(2, 1e9, 0), ranks);
    CHECK(halves.collectives == Approx(3 * 2));
    CHECK(halves.startup / 1e9 == Approx(3 * 2));
  }
}

TEST_CASE("each code counts as a collective, also where a scheduler merges gradients") {
  TrainingPlan plan = reference("mg_wfbp");
  plan.ranks = 4;
  const MakeNetwork network = ports(4, 1e10);
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    plan.compression.reset();
    const SimulatedSteps dense = simulate_training(plan, network, ranks);
    CHECK(dense.collectives < 3);
    plan.compression = {choose_compressor("topk:ratio=0.01"), Aggregation::all_gather, {}};
    const SimulatedSteps coded = simulate_training(plan, network, ranks);
    CHECK(coded.collectives == Approx(3));
    CHECK(coded.startup / 1e10 == Approx(3 * 3).epsilon(1e-3));  // three rounds of a ring of four
  }
}

TEST_CASE("times of collectives are those of single simulations, added up") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 4;
  plan.segments = 4;
  const MakeNetwork network = ports(4, 1e6);
  CollectiveTimes times(plan, network);
  constexpr Count kOne = 1000, kTwo = 3001;
  const auto alone = [&](Count elements, int segments) {
    const auto made = network();
    return simulator::simulate(*plan.algorithm, plan.problem(Collective::allreduce, elements), 4,
                               *made, {.segments = segments})
        .finish;
  };
  CHECK(times.of(Collective::allreduce, kOne, 4) == alone(kOne, 4));
  CHECK(alone(kOne, 4) != alone(kOne, 1));
  CHECK(times.of({{Time{}, Collective::allreduce, kOne, 4},
                  {Time{}, Collective::allreduce, kTwo, 4}}) == alone(kOne, 4) + alone(kTwo, 4));
  TrainingPlan two = reference("fifo");
  constexpr double kBeta = 100;
  CHECK(CollectiveTimes(two, ports(2, 0, kBeta)).link().beta == Approx(kBeta).epsilon(0.01));
}

TEST_CASE("codes are made and read per gradient where order matters, and twice if coded again") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 4;
  plan.compression = {choose_compressor("int8"), Aggregation::requantize, {1e-9, 10e-9}};
  const Bundle both{Collective::allreduce, {{0, 0, 1000}, {1, 0, 500}}};
  const auto coded = [&] { return coding_of(transmissions_of(plan, both)); };
  CHECK(coded() == to_time(1500 * 21e3));  // encoded once, decoded twice
  CHECK(transmissions_of(plan, both).size() == 2);
  plan.scheduler = &find_scheduler("priority");
  CHECK(transmissions_of(plan, both).size() == 4);
  plan.compression->aggregation = Aggregation::all_gather;
  CHECK(coded() == to_time(1500 * 41e3));
}

TEST_CASE("compressed gradients send the closed form of their codes") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 4;
  plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {1e-9, 2e-9}};
  for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
    const SimulatedSteps half = simulate_training(plan, ports(4), ranks);
    CHECK(half.sent == Approx(2. * 10 * kStudied * 2 * 3 / 4));
    CHECK(half.codec == Approx(10. * kStudied * 3000));
  }
  plan.compression = {choose_compressor("topk:ratio=0.01"), Aggregation::all_gather, {}};
  CHECK(simulate_training(plan, ports(4)).sent == Approx(3. * 10 * kStudied * 0.01 * 8));
}

TEST_CASE("codes are exchanged in one segment, as in real training") {
  TrainingPlan plan = reference("fifo");
  plan.ranks = 4;
  const std::pair<const char*, Aggregation> codes[] = {
      {"fp16", Aggregation::allreduce},
      {"int8", Aggregation::requantize},
      {"topk:ratio=0.01", Aggregation::all_gather}};
  for (const auto& [compressor, aggregation] : codes)
    for (const Ranks ranks : {Ranks::each, Ranks::one_for_all}) {
      INFO(compressor);
      plan.compression = {choose_compressor(compressor), aggregation, {}};
      plan.segments = 1;
      const double whole = units(simulate_training(plan, ports(4, 1e9), ranks));
      plan.segments = 4;
      CHECK(units(simulate_training(plan, ports(4, 1e9), ranks)) == whole);
    }
}

TEST_CASE("plans that cannot be simulated are refused with a remedy") {
  TrainingPlan plan = reference("fifo");
  plan.strategy = &find_strategy("parameter_server");
  CHECK(refusal_of(plan).find("0 servers and 2 workers: use at least 1 of each") !=
        std::string::npos);
  plan = reference("fifo");
  plan.strategy = &find_strategy("one_device");
  CHECK(refusal_of(plan).find("supports 1 worker, not 2") != std::string::npos);
  plan = reference("dear");
  plan.algorithm = &find_algorithm("butterfly");
  CHECK(refusal_of(plan).find("use algorithm ring") != std::string::npos);
  for (const char* strategy : {"mirrored", "zero1"}) {
    plan = reference("dear");
    plan.strategy = &find_strategy(strategy);
    plan.segments = 2;
    CHECK(refusal_of(plan).find("do not work in 2 segments: use 1 segment") != std::string::npos);
  }
  plan = reference("dear");
  plan.compression = {choose_compressor("fp16"), Aggregation::allreduce, {}};
  CHECK(refusal_of(plan).find("use scheduler buckets") != std::string::npos);
  plan = reference("fifo");
  plan.compression = {choose_compressor("threshold"), Aggregation::all_gather, {}};
  CHECK(refusal_of(plan).find("depends on the gradient") != std::string::npos);
  plan = reference("fifo");
  plan.slowdown = {1, 1, 1};
  CHECK(refusal_of(plan).find("3 slowdown factors for 2 ranks") != std::string::npos);
  plan = reference("fifo");
  plan.layers[1].forward = Time{-1};
  CHECK(refusal_of(plan).find("layer") != std::string::npos);
  plan = reference("fifo");
  plan.steps = 3;
  CHECK_THROWS_AS(simulate_training(plan, ports(2)), Error);
  plan = reference("fifo");
  plan.ranks = 16'384;
  CHECK_THROWS_WITH(simulate_training(plan, ports(16'384)), Catch::Contains("use rabenseifner"));
}
