// Rows of logs as calls of NCCL's: of nodes that are alike, with their operation.
#include "bench/study/logged_calls.hpp"

#include "bench/logs/measurements.hpp"
#include "bench/options/nccl_network.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

LogTable table_of(Rank ranks, std::vector<std::int32_t> host_of_rank) {
  LogTable table{.line = 1,
                 .origin = {.tool = "nccl-tests",
                            .backend = "nccl",
                            .algorithm = "ncclAllReduce",
                            .gpu = "NVIDIA H100 80GB HBM3",
                            .library = "NCCL 2.27.5"},
                 .ranks = ranks,
                 .host_of_rank = std::move(host_of_rank)};
  table.rows = {{.line = 2,
                 .bytes = 1 << 30,
                 .operand = {collectives::DType::float32, collectives::Op::prod},
                 .time_us = 5000}};
  return table;
}

LoggedMachine h100x8() { return {nccl_machine({{"gpu", "h100"}, {"gpus", "8"}}), false}; }

}  // namespace

TEST_CASE("logged calls: hosts with other numbers of ranks are no nodes of the model") {
  Results results, even;
  add_records(table_of(12, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}), "rag.log", results);
  add_records(table_of(4, {0, 0, 1, 1}), "even.log", even);
  append(std::move(results), even);  // contexts are counted on
  const LoggedCalls calls = logged_calls(even, h100x8());
  REQUIRE(calls.rows.size() == 1);
  CHECK(calls.rows[0].nodes == 2);
  CHECK(calls.rows[0].gpus_per_node == 2);
  CHECK(calls.rows[0].op == "prod");
  REQUIRE(calls.skipped.size() == 1);
  CHECK(calls.skipped[0] ==
        "12 ranks on hosts with other numbers of them: nodes alike are predicted");
}

TEST_CASE("logged calls: without hosts, ranks fill nodes of the given machine, or one in part") {
  Results results;
  for (const Rank ranks : {4, 12, 16}) add_records(table_of(ranks, {}), "n.log", results);
  const LoggedCalls calls = logged_calls(results, h100x8());
  REQUIRE(calls.rows.size() == 2);
  CHECK(calls.rows[0].nodes == 1);
  CHECK(calls.rows[0].gpus_per_node == 4);
  CHECK(calls.rows[1].nodes == 2);
  CHECK(calls.rows[1].gpus_per_node == 8);
  CHECK(calls.skipped == std::vector<std::string>{"12 ranks do not fill nodes of 8 GPUs"});
}
