// Rows of NCCL's estimates, by type and operation.
#include "bench/simulate/nccl_choice.hpp"

#include <algorithm>

#include "bench/options/nccl_network.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

NcclEstimates estimates(const char* dtype, const char* op, const char* ranks,
                        const char* collective = "allreduce", const char* gpu = "h100") {
  SweepOptions sweep;
  sweep.ranks = {ranks};
  sweep.sizes = {"1G"};
  sweep.dtypes = {dtype};
  sweep.ops = {op};
  sweep.collective = collective;
  ModelOptions model;
  model.model = std::string(kNcclNetwork);
  model.given = {{"gpu", gpu}};
  return estimate_nccl(sweep, model);
}

std::string chosen(const NcclEstimates& all) {
  for (const NcclEstimate& row : all.rows)
    if (row.chosen) return row.algorithm;
  return "none";
}

bool has_symmetric(const NcclEstimates& all) {
  return std::ranges::any_of(all.rows, [](const auto& r) { return r.algorithm == "symmetric"; });
}

const NcclEstimate& row_of(const NcclEstimates& all, std::string_view algorithm) {
  return *std::ranges::find(all.rows, algorithm, &NcclEstimate::algorithm);
}

}  // namespace

TEST_CASE("simulate native: NCCL's choice follows the type and the operation") {
  CHECK(chosen(estimates("float32", "sum", "8")) == "nvls");
  CHECK(chosen(estimates("float32", "max", "8")) == "ring");
  CHECK(chosen(estimates("float32", "avg", "8")) == "ring");
  CHECK(chosen(estimates("bfloat16", "avg", "8")) == "ring");
  CHECK(chosen(estimates("bfloat16", "max", "8")) == "nvls");
  CHECK(row_of(estimates("float32", "max", "8"), "nvls").skipped ==
        "NVSwitches cannot compute max of float32");
  CHECK(row_of(estimates("int8", "sum", "8", "all_gather"), "nvls").skipped.empty());
  const NcclEstimates small = estimates("float8_e4m3", "sum", "16");
  CHECK(chosen(small) == "tree");
  CHECK(
      small.crossovers.front().ends_with("avoids rings for float8_e4m3, since their sums lose "
                                         "precision."));
}

TEST_CASE("simulate native: symmetric kernels are for sums of floats, within the links") {
  CHECK_FALSE(has_symmetric(estimates("float32", "prod", "8")));
  CHECK_FALSE(has_symmetric(estimates("float32", "max", "8")));
  CHECK_FALSE(has_symmetric(estimates("int8", "sum", "8")));
  const NcclEstimates sums = estimates("float32", "sum", "8");
  REQUIRE(has_symmetric(sums));
  const NcclEstimate& fastest = row_of(sums, "symmetric");
  CHECK(fastest.protocol == "two_shot_multicast");
  CHECK(static_cast<double>(fastest.bytes) / fastest.us / 1000 == Approx(400));
  CHECK(table_of(sums).find("are the scores by which NCCL picks") != std::string::npos);
  CHECK(table_of(estimates("int8", "sum", "8")).find("Symmetric") == std::string::npos);
  const NcclEstimates volta = estimates("float32", "sum", "8", "allreduce", "v100");
  CHECK(static_cast<double>(1 << 30) / row_of(volta, "symmetric").us / 1000 ==
        Approx(150 * 8 / 14.0));
}
