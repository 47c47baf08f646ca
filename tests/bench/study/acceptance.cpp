// Acceptance: bandwidths judged by public tables.
#include "bench/study/acceptance.hpp"

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
  CHECK(h100.busbw.at({"allreduce", 8}).at(536870912) == Approx((444.98 + 433.78) / 2));
  CHECK(h100.busbw.size() == 3);  // allreduce, all_gather, reduce_scatter
  CHECK(public_expectation("p5").busbw.contains({"allreduce", 16}));
  const std::string refused = failure([] { public_expectation("h200x9"); });
  CHECK(refused.find("'h200x9'") != std::string::npos);
  CHECK(refused.find("h100x2|4|8|16") != std::string::npos);
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
    return likely_reason({run(1 << 30, ratio * 480, 8, groups), ratio * 480, 480}, context);
  };
  CHECK(reason(0.77, 1, {{"environment", {{"NCCL_NVLS_ENABLE", "0"}}}}) ==
        "NCCL_NVLS_ENABLE=0 was set");
  CHECK(reason(0.77, 1, {}).find("NVLS") != std::string::npos);  // 370 of 480 GB/s: a ring
  CHECK(reason(0.05, 1, {}).find("PCIe") != std::string::npos);
  CHECK(reason(0.875, 2, {}).find("one NIC of eight") != std::string::npos);
  CHECK(reason(0.4, 2, {}).empty());
  CHECK(reason(0.4, 2, {{"nccl", "NCCL 2.23.4, network Socket"}}).find("sockets") !=
        std::string::npos);
}
