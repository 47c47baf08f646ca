// Which compressor pays, beside direct simulations on both sides of each border.
#include "bench/training/profiled/decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "training/simulation/simulate_training.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

namespace {

ScaleOptions options_of(const char* model) {
  ScaleOptions options;
  options.model = model;
  options.algorithms = {"ring"};
  options.steps = 4;  // the least; more take longer, and say the same
  return options;
}

Decision decided(const ScaleOptions& options, const std::string& network, Rank gpus) {
  const ScaleNetwork wires(network, options.seed);
  return decide(options, options.profile(), wires, gpus, wires.has_ports());
}

// What compression saves of a step on ports of this many Gbit/s.
double saved(const ScaleOptions& options, double gbits, const std::string& compressor, Rank gpus) {
  const ScaleNetwork ports(fmt::format("{:.9f}G", gbits), options.seed);
  const auto step = [&](const std::string& spec) {
    training::TrainingPlan plan = options.plan(options.profile(), "buckets", spec, gpus);
    const training::MakeNetwork make = options.place(plan, options.profile(), ports);
    plan.algorithm = &find_algorithm("ring");
    return training::simulate_training(plan, make, training::Ranks::one_for_all).period();
  };
  return 1 - step(compressor) / step("none");
}

}  // namespace

TEST_CASE("decision: a compressor pays just below its border, and not just above it") {
  for (const char* model : {"profile:bert-base", "profile:vgg16"}) {
    const ScaleOptions options = options_of(model);
    const Decision decision = decided(options, "25G", 8);
    REQUIRE(decision.payoffs.size() == 5);
    int borders = 0;
    for (const Payoff& one : decision.payoffs) {
      INFO(model << " " << one.compressor);
      CHECK(std::abs(one.saves - saved(options, 25, one.compressor, 8)) < 1e-9);
      if (!one.pays_below || *one.pays_below >= 3.2e12) continue;
      ++borders;
      const double border = *one.pays_below / 1e9;
      CHECK(saved(options, border * 0.99, one.compressor, 8) >= kWorthwhile * 0.98);
      CHECK(saved(options, border * 1.02, one.compressor, 8) < kWorthwhile);
    }
    CHECK(borders >= 3);
    CHECK(std::ranges::is_sorted(decision.payoffs, std::greater{}, &Payoff::saves));
  }
}

TEST_CASE("decision: the best buckets are no slower than the scheduler that was chosen") {
  const ScaleOptions options = options_of("profile:resnet50");
  const Decision decision = decided(options, "10G", 16);
  CHECK_THAT(decision.scheduler, contains("buckets:bucket="));
  CHECK(decision.scheduler_saves > 0);
  ScaleOptions best = options;
  best.schedulers = {decision.scheduler};
  CHECK(decided(best, "10G", 16).scheduler_saves < 1e-6);
}

TEST_CASE("decision: a given compressor alone is judged, and topologies have no rate of a port") {
  ScaleOptions options = options_of("profile:bert-base");
  options.compressors = {"int8"};
  const Decision decision = decided(options, "crossbar:hosts=8", 8);
  REQUIRE(decision.payoffs.size() == 1);
  CHECK(decision.payoffs[0].compressor == "int8");
  CHECK_FALSE(decision.payoffs[0].pays_below);
  for (const std::string& sentence : explain(decision))
    CHECK(sentence.find("port") == std::string::npos);
}

TEST_CASE("decision: where the given algorithm cannot gather codes, another one does") {
  ScaleOptions options = options_of("profile:vgg16");
  options.algorithms = {"butterfly"};
  const Decision decision = decided(options, "1G", 8);
  CHECK(decision.payoffs.size() == 5);
  CHECK(decision.payoffs.front().saves > 0.5);
}

TEST_CASE("decision: a compressor that the strategy cannot exchange is no choice") {
  ScaleOptions options = options_of("profile:resnet50");
  options.strategy.spec = "parameter_server";
  const Decision decision = decided(options, "10G", 4);
  CHECK(decision.payoffs.size() == 4);
  CHECK(std::ranges::count(decision.payoffs, "powersgd:rank=4", &Payoff::compressor) == 0);
}

TEST_CASE("decision: nothing is said where a strategy neither compresses nor orders") {
  ScaleOptions options = options_of("profile:resnet50");
  options.strategy.spec = "fsdp";
  CHECK(explain(decided(options, "10G", 4)).empty());
}

TEST_CASE("decision: sentences name what pays, what does not, and the rates") {
  const Decision decision{
      .network = "10G",
      .gpus = 64,
      .payoffs = {{"int8", 0.25, 4e10}, {"fp16", 0.125, 3.2e12}, {"topk", -0.5, {}}},
      .knows_rates = true,
      .scheduler = "buckets:bucket=5M",
      .scheduler_saves = 0.05};
  CHECK(explain(decision) ==
        std::vector<std::string>{
            "Does compression pay on 64 GPUs, 10G? Yes: a step is 25% shorter with int8, 12% with "
            "fp16. Less than 1%: topk. By the rate of a port: int8 pays below 40 Gbit/s, fp16 at "
            "any rate, topk at no rate. A plan does not know what that does to accuracy.",
            "Best buckets on 10G: a step is 5% shorter with --scheduler buckets:bucket=5M."});
  const Decision none{.network = "1T", .gpus = 2, .payoffs = {{"int8", 0.001, {}}}};
  CHECK(explain(none) ==
        std::vector<std::string>{
            "Does compression pay on 2 GPUs, 1T? No: none of int8 makes a step 1% shorter. A plan "
            "does not know what that does to accuracy."});
}
