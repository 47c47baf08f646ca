// Which compressor pays, beside direct simulations on both sides of each border.
#include "bench/training/decisions/decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/training/decisions/decision_report.hpp"
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
  const std::pair<const char*, const char*> kCases[] = {{"profile:bert-base", ""},
                                                        {"profile:vgg16", ""},
                                                        {"profile:resnet50", "a100"},
                                                        {"profile:bert-base", "h100"}};
  for (const auto& [model, gpu] : kCases) {
    ScaleOptions options = options_of(model);
    if (*gpu != 0) options.gpus = {gpu};
    const Decision decision = decided(options, "25G", 8);
    REQUIRE(decision.payoffs.size() == 5);
    int borders = 0;
    for (const Payoff& one : decision.payoffs) {
      INFO(model << " " << gpu << " " << one.compressor);
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
  for (const std::string& sentence : explain(std::vector<Decision>{decision}))
    CHECK(sentence.find("Gbit/s") == std::string::npos);
}

TEST_CASE("decision: codes as large as the gradients are no candidates, but judged if given") {
  ScaleOptions options = options_of("profile:gpt2-xl");
  const ScaleNetwork wires("25G", options.seed);
  const Decision decision = decide(options, options.profile(), wires, 8, false);
  CHECK(decision.payoffs.size() == 4);
  CHECK(std::ranges::count(decision.payoffs, "fp16", &Payoff::compressor) == 0);
  options.compressors = {"fp16"};
  const Decision given = decide(options, options.profile(), wires, 8, false);
  REQUIRE(given.payoffs.size() == 1);
  CHECK(given.payoffs[0].saves < 0);
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
  const Decision none = decided(options, "10G", 4);
  CHECK(explain(std::vector<Decision>{none}).empty());
}

TEST_CASE("decision: a verdict per model names what pays, what does not, and the rates") {
  const Decision slow{
      .model = "bert",
      .device = "A",
      .network = "10G",
      .gpus = 64,
      .limit = "bandwidth",
      .payoffs = {{"int8", 1, 0.25, 4e10}, {"fp16", 1, 0.125, 3.2e12}, {"topk", 1, -0.5, {}}},
      .knows_rates = true,
      .scheduler = "buckets:bucket=5M",
      .scheduler_saves = 0.05};
  Decision fast = slow, other = slow;
  fast.network = "1T";
  fast.limit = "computation";
  fast.payoffs = {{"int8", 1, 0.001, {}}};
  fast.knows_rates = false;
  fast.scheduler_saves = 0.001;
  other.model = "vgg";
  other.gpus = 2;
  other.payoffs.pop_back();
  const std::vector<std::string> expected{
      "Verdict: bert on 64 GPUs of A: int8 pays below 40 Gbit/s, fp16 at any rate; topk does not "
      "pay at any rate. On 10G: limited by bandwidth; a step is 25% shorter with int8, 12% with "
      "fp16; the best buckets save 5% (--scheduler buckets:bucket=5M). On 1T: limited by "
      "computation; no compressor makes a step 1% shorter.",
      "Verdict: vgg on 2 GPUs of A: int8 pays below 40 Gbit/s, fp16 at any rate. On 10G: limited "
      "by "
      "bandwidth; a step is 25% shorter with int8, 12% with fp16; the best buckets save 5% "
      "(--scheduler buckets:bucket=5M).",
      "A plan does not know what compression does to accuracy. Codes take at least the time of "
      "their bytes in the GPU's memory."};
  CHECK(explain(std::vector<Decision>{slow, fast, other}) == expected);
  std::vector<Json> records;
  for (const Decision& one : {slow, fast, other}) records.push_back(to_json(one));
  records.push_back({{"kind", "plan"}});
  CHECK(explain(decisions_of(records)) == expected);
  CHECK(explain(std::vector<Decision>{}).empty());
  Decision late = slow;
  late.network = "10G:latency=2ms";
  late.payoffs = {{"int8", 1, 0.25, 2e10}};
  CHECK_THAT(explain(std::vector<Decision>{slow, late}).front(),
             contains("topk does not pay at any rate. At a latency of 2 ms, int8 pays below 20 "
                      "Gbit/s. On 10G: "));
}

TEST_CASE("decision: without codec cost, a V100 gives what the profile of a V100 gives") {
  for (const char* model : {"profile:resnet50", "profile:bert-base"}) {
    ScaleOptions plain = options_of(model), named = plain;
    plain.codec_cost = "0,0";
    named.codec_cost = "0";
    named.gpus = {"v100"};
    const Decision a = decided(plain, "10G", 8), b = decided(named, "10G", 8);
    CHECK(to_json(a) == to_json(b));
    CHECK(a.payoffs.size() == 5);
  }
}

TEST_CASE("decision: codes cost time, each its own, and less on a faster memory") {
  ScaleOptions options = options_of("profile:bert-base");
  const training::ModelProfile v100 = options.profile();
  options.gpus = {"h100"};
  const training::ModelProfile h100 = options.profile();
  std::vector<double> seen;
  for (const char* spec :
       {"fp16", "int8", "powersgd:rank=4", "topk:ratio=0.01", "onebit", "qsgd"}) {
    const training::CompressorChoice choice = training::choose_compressor(spec);
    const training::CodecCost slow = options.codec_of(choice, v100);
    const training::CodecCost fast = options.codec_of(choice, h100);
    INFO(spec);
    CHECK(fast.encode > 0);
    CHECK(fast.decode > 0);
    CHECK(slow.encode > 3.7 * fast.encode);  // 3350 by 900 GB/s
    CHECK(std::ranges::count(seen, slow.encode) == 0);
    seen.push_back(slow.encode);
  }
  options.codec_cost = "1,2";
  CHECK(options.codec_of(training::choose_compressor("fp16"), v100).decode == 2e-9);
}
