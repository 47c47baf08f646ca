// Acceptance: bandwidths judged by public tables.
#include "bench/study/expected/acceptance.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Json run(std::int64_t bytes, double busbw, std::int64_t ranks = 8, Json groups = 1) {
  return {{"kind", "run"},    {"collective", "allreduce"}, {"ranks", ranks}, {"bytes", bytes},
          {"groups", groups}, {"busbw_gb_per_s", busbw},   {"place", "in"}};
}

}  // namespace

TEST_CASE("public numbers: eight H100 at 512 MiB, median of two sources") {
  const Expectation h100 = public_expectation("h100x8");
  // aiconfigurator 444.98, AWS p5 433.78: GB/s of tables that are cited in docs/logs.md
  CHECK(h100.busbw.at({"allreduce", 8, 1}).at(536870912) == Approx((444.98 + 433.78) / 2));
  CHECK(h100.busbw.size() == 3);  // allreduce, all_gather, reduce_scatter
  CHECK(public_expectation("p5").busbw.contains({"allreduce", 16, 2}));
  const std::string refused = failure([] { public_expectation("h200x9"); });
  CHECK(refused.find("'h200x9'") != std::string::npos);
  CHECK(refused.find("h100x2|4|8|16") != std::string::npos);
  CHECK(refused.find("l40sx2,") != std::string::npos);  // four and eight: from a crippled machine
}

TEST_CASE("public numbers are of as many hosts") {
  const Expectation h100 = public_expectation("h100x8");
  CHECK(failure([&] { judge({run(1 << 29, 400, 8, 8)}, h100); })
            .find("nothing is judged: allreduce of 8 ranks ran on 8 hosts, but the numbers of "
                  "h100x8 are of 1") != std::string::npos);
  const Judgment judgment = judge({run(1 << 29, 400, 8, 8), run(1 << 29, 440, 8, 1)}, h100);
  CHECK(judgment.all.size() == 1);
  CHECK(judgment.notes.size() == 1);
  CHECK_FALSE(judgment.failed());
  CHECK(judge({run(1 << 29, 440, 8, Json())}, h100).all.size() == 1);  // not known: the only table
}

TEST_CASE("wrong elements, and runs that did not end, fail whatever the bandwidth") {
  Json wrong = run(1 << 29, 500), small = run(1 << 10, 1);
  wrong["wrong"] = 12;
  const Expectation h100 = public_expectation("h100x8");
  const Judgment judgment = judge({run(1 << 29, 440), wrong}, h100);
  CHECK(judgment.failed());
  CHECK(judgment.all[0].verdict() == Acceptance::fail);
  CHECK(judgment.all[1].verdict() == Acceptance::pass);
  CHECK(table(judgment).find("FAIL, 12 wrong") != std::string::npos);
  CHECK(likely_reason(judgment.all[0], {}) == "12 elements wrong, whatever the bandwidth");
  small["wrong"] = 1;  // not judged, but wrong
  CHECK(judge({run(1 << 29, 440), small}, h100).failed());

  Results results;
  results.records.push_back(run(1 << 29, 440));
  results.contexts.push_back({{"gpu", "NVIDIA A100-SXM4-80GB"}});
  const Judgment other = judge_results(results, h100);
  CHECK_FALSE(other.failed());
  CHECK(other.notes == std::vector<std::string>{"the GPU is NVIDIA A100-SXM4-80GB, but the numbers "
                                                "of h100x8 are of H100"});
  results.contexts[0]["gpu"] = "NVIDIA H100 80GB HBM3";
  results.cut_short = true;
  CHECK(judge_results(results, h100).notes.empty());
  CHECK(judge_results(results, h100).failed());
  results.cut_short = false;
  CHECK_FALSE(judge_results(results, h100).failed());
  results.failures = {"a.log:9: the benchmark failed: Out of bounds values : 2 FAILED"};
  CHECK(judge_results(results, h100).faults == results.failures);
}

TEST_CASE("public numbers are of what NVSwitches add: other operations are not judged") {
  const Expectation h100 = public_expectation("h100x8");
  Json floats = run(1 << 29, 440), bytes = floats, product = floats;
  floats.update({{"dtype", "float32"}, {"op", "sum"}});
  bytes.update({{"dtype", "int8"}, {"op", "sum"}});
  product.update({{"dtype", "float32"}, {"op", "prod"}});
  const Judgment judgment = judge({floats, bytes, product}, h100);
  CHECK(judgment.all.size() == 1);
  CHECK(judgment.unjudged == 2);
  REQUIRE(judgment.notes.size() == 2);
  CHECK(judgment.notes[1].find("NVSwitches cannot compute sum of int8") == 0);
  CHECK(failure([&] { judge({bytes}, h100); }).find("nothing is judged: NVSwitches cannot") !=
        std::string::npos);
  bytes["collective"] = "all_gather";  // which only copies
  CHECK(judge({floats, bytes}, h100).notes.empty());
  bytes["collective"] = "allreduce";
  CHECK(judge({bytes}, public_expectation("a100x8")).all.size() == 1);  // a ring, whatever the type
}

TEST_CASE("verdicts: pass from 95%, look from 85%, and the worst first") {
  const Expectation expectation = expectation_of({run(1 << 20, 100), run(1 << 22, 400)}, "saved");
  const Judgment judgment = judge({run(1 << 20, 95), run(1 << 22, 339), run(1 << 21, 190),
                                   run(1 << 23, 1), run(1 << 10, 1), run(1 << 20, 1, 4)},
                                  expectation);
  REQUIRE(judgment.all.size() == 3);
  CHECK(judgment.unjudged == 3);  // larger than known, too small, other ranks
  CHECK(judgment.all[0].verdict() == Acceptance::fail);  // 84.75%
  CHECK(judgment.all[1].verdict() == Acceptance::pass);
  CHECK(judgment.all[2].expected == Approx(200));  // between 100 and 400, on a line of logarithms
  CHECK(judgment.failed());
  CHECK_FALSE(judge({run(1 << 20, 86)}, expectation).failed());
}

TEST_CASE("reasons: what the log says comes first, then what the ratio resembles") {
  const auto reason = [](double ratio, const Json& groups, const Json& context) {
    return likely_reason({run(1 << 30, ratio * 480, 8, groups), ratio * 480, 480, "H100"}, context);
  };
  const auto set = [&](const char* name, const char* value, const Json& groups) {
    return reason(0.6, groups, {{"environment", {{name, value}}}});
  };
  CHECK(set("NCCL_NVLS_ENABLE", "0", 1) == "NCCL_NVLS_ENABLE=0 was set");
  CHECK(set("NCCL_NVLS_ENABLE", "1", 1).empty());
  CHECK(set("NCCL_IB_DISABLE", "1", 2) == "NCCL_IB_DISABLE=1 was set");
  CHECK(set("NCCL_IB_DISABLE", "0", 2).empty());
  CHECK(set("NCCL_IB_DISABLE", "1", 1).empty());  // one host has no fabric
  CHECK(set("NCCL_ALGO", "Ring", 1) == "NCCL_ALGO=Ring was set");
  CHECK(reason(0.77, 1, {}).find("NVLS") != std::string::npos);  // 370 of 480 GB/s: a ring
  for (const char* gpu : {"NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB", "NVIDIA H100 PCIe"})
    CHECK(reason(0.77, 1, {{"gpu", gpu}}).empty());  // without NVLS
  CHECK(reason(0.05, 1, {}).find("PCIe") != std::string::npos);
  CHECK(reason(0.875, 2, {}).find("one NIC of eight") != std::string::npos);
  CHECK(reason(0.4, 2, {}).empty());
  for (const double ratio : {0.05, 0.119, 0.125, 0.13})
    CHECK(reason(ratio, 2, {}).find("one NIC or TCP sockets") != std::string::npos);
  // Where the log lists no hosts, they are those of the numbers.
  const Expectation two{.what = "two",
                        .sources = {},
                        .busbw = {{{"allreduce", 16, 2}, {{1 << 30, 480}}}},
                        .gpu = "H100"};
  const Judgment judgment = judge({run(1 << 30, 60, 16, Json())}, two);
  REQUIRE(judgment.all.size() == 1);
  CHECK(likely_reason(judgment.all[0], {}).find("one NIC or TCP sockets") != std::string::npos);
  CHECK(reason(0.4, 2, {{"nccl", "NCCL 2.23.4, network Socket"}}).find("sockets") !=
        std::string::npos);
  CHECK(reason(0.4, 1, {{"nccl", "NCCL 2.23.4, network Socket"}}).empty());
}
