// NCCL's log: lines as NCCL 2.27 and 2.12 write them, among others.
#include "bench/tune/nccl_log.hpp"

#include "bench/results/schema.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr const char* kLog =
    "node1:71:71 [0] NCCL INFO NCCL version 2.27.5+cuda12.9\n"
    "node1:71:99 [0] NCCL INFO comm 0x55 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL "
    "0\n"
    "node1:71:71 [0] NCCL INFO AllReduce: 65536 Bytes -> Algo TREE proto LL "
    "channel{Lo..Hi}={0..15}\n"
    "node1:71:71 [0] NCCL INFO AllReduce: 65536 Bytes -> Algo TREE proto LL "
    "channel{Lo..Hi}={0..15}\n"
    "[1,0]<stdout>: AllReduce: 1073741824 Bytes -> Algo 1 proto 2 time 9000.0\n"
    "something else: 12 Bytes\n";

}  // namespace

TEST_CASE("nccl log: choices, version, and ranks") {
  NcclLog log = read_nccl_log(kLog, "nccl.log");
  CHECK(log.version == 22705);
  CHECK(log.nodes == 2);
  CHECK(log.ranks_per_node == 8);
  REQUIRE(log.choices.size() == 2);
  CHECK(log.choices[0].took == "tree ll");
  CHECK(log.choices[0].calls == 2);
  CHECK(log.choices[1].took == "ring simple");

  const simulator::nccl::Machine machine{
      .version = log.version, .nodes = log.nodes, .ranks_per_node = log.ranks_per_node};
  compare_with_model(log, machine,
                     collectives::read_tuning_table(
                         "allreduce,1048576,-1,nvls_tree,simple,-1,-1,-1\n", "table.csv"));
  CHECK(log.choices[0].estimated == "tree ll");
  CHECK(log.choices[0].tuned.empty());
  CHECK(log.choices[1].estimated == "nvlstree simple");  // 266.7 against 204.8 GB/s in NCCL's log
  CHECK(log.choices[1].took_us > log.choices[1].estimated_us);
  CHECK(log.choices[1].tuned == "nvlstree simple");
  CHECK_THAT(nccl_log_table(log, machine), Catch::Contains("1 of 2 choices"));
  for (const LoggedChoice& choice : log.choices) {
    Json line = to_json(choice, machine);
    CHECK(make_readable(line).empty());
  }
}

TEST_CASE("nccl log: ranks of nodes with different numbers of them are no machine") {
  const NcclLog log = read_nccl_log(
      "a NCCL INFO comm 0x1 rank 0 nRanks 12 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"
      "b NCCL INFO comm 0x1 rank 8 nRanks 12 nNodes 2 localRanks 4 localRank 0 MNNVL 0\n"
      "a NCCL INFO AllGather: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n",
      "nccl.log");
  CHECK(log.uneven == 12);
  CHECK(log.nodes == 0);
  CHECK_FALSE(log.several);
  CHECK_THAT(taken_table(log), Catch::Contains("768 KiB"));  // 12 times 64 KiB
  CHECK_THAT(taken_table(log), Catch::Contains("ring ll"));
  CHECK(read_nccl_log(kLog, "nccl.log").uneven == 0);
}

TEST_CASE("nccl log: newer lines have the bytes of one rank, calls without estimates are named") {
  NcclLog log = read_nccl_log(
      "a NCCL INFO comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"
      "a NCCL INFO AllGather: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n"
      "a NCCL INFO ReduceScatter: 65536 Bytes -> Algo 1 proto 0 time 31.2\n"
      "a NCCL INFO AllReduce: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n"
      "a NCCL INFO Reduce: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n"
      "a NCCL INFO Reduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n"
      "a NCCL INFO AllReduce [Symmetric]: 1048576 Bytes -> Kernel AllReduce_RSxLDMC_AGxSTMC\n"
      "a NCCL INFO 1048576 Bytes -> Algo 5 proto 2 time 61.2\n",
      "nccl.log");
  const simulator::nccl::Machine machine{.nodes = log.nodes, .ranks_per_node = log.ranks_per_node};
  compare_with_model(log, machine, {});
  REQUIRE(log.choices.size() == 3);
  for (const LoggedChoice& one : log.choices)
    CHECK(one.bytes == (one.collective == Collective::all_gather ? 16 * 65536 : 65536));
  CHECK(log.left_out == std::map<std::string, Count>{{"AllReduce [Symmetric]", 1},
                                                     {"Reduce", 2},
                                                     {"calls without a name", 1}});
  CHECK_THAT(nccl_log_table(log, machine),
             Catch::Contains("Left out, as they have no estimates here: 1 AllReduce [Symmetric], "
                             "2 Reduce, 1 calls without a name."));
  CHECK_THAT(refusal([] { read_nccl_log("Reduce: 8 Bytes -> Algo RING proto LL\n", "x.log"); }),
             Catch::Contains("; left out: 1 Reduce"));
}

TEST_CASE("nccl log: without a choice it is refused") {
  CHECK_THAT(refusal([] { read_nccl_log("NCCL INFO Bootstrap\n", "x.log"); }),
             Catch::Contains("x.log has no line such as") && Catch::Contains("NCCL_DEBUG=INFO"));
}

TEST_CASE("nccl log: communicators of several sizes, and choices that differ at one size") {
  const NcclLog log = read_nccl_log(
      "a NCCL INFO comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0\n"
      "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..15}\n"
      "a NCCL INFO comm 0x2 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0\n"
      "AllReduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n"
      "AllReduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}\n",
      "nccl.log");
  CHECK(log.several);
  CHECK((log.nodes == 2 && log.ranks_per_node == 8));
  REQUIRE(log.choices.size() == 2);
  CHECK((log.choices[0].took == "ring ll" && log.choices[0].calls == 2));
  CHECK((log.choices[1].took == "tree ll" && log.choices[1].calls == 1));
  CHECK_FALSE(read_nccl_log(kLog, "nccl.log").several);
}
