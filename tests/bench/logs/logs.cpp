// Logs of other benchmarks: what is read, by values that stand in the fixtures.
#include <algorithm>
#include <map>
#include <string>

#include "bench/logs/log.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/results/schema.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::DType, collectives::Op;

namespace {

std::string path_of(const std::string& name) {
  return source_file("tests/bench/logs/fixtures/" + name);
}

Log read(const std::string& name, const LogHints& hints = {}) {
  return read_log_text(text_of(path_of(name)), hints);
}

std::vector<std::string> refused(const Log& log) {
  std::vector<std::string> all;
  for (const LogNote& note : log.notes)
    if (note.refused) all.push_back(std::to_string(note.line) + ": " + note.text);
  return all;
}

const LogRow& row_of(const LogTable& table, std::int64_t bytes, bool in_place) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(), [&](const LogRow& row) {
    return row.bytes == bytes && row.in_place == in_place;
  });
  REQUIRE(found != table.rows.end());
  return *found;
}

}  // namespace

TEST_CASE("nccl-tests of 2020: an error instead of wrong elements, hosts from the header") {
  const Log log = read("abci_allreduce.txt");
  CHECK(refused(log).empty());
  REQUIRE(log.tables.size() == 1);
  const LogTable& table = log.tables[0];
  CHECK(table.collective == Collective::allreduce);
  CHECK(table.ranks == 16);
  CHECK(std::count(table.host_of_rank.begin(), table.host_of_rank.end(), 1) == 8);
  CHECK(table.origin.backend == "nccl");
  CHECK(table.origin.host == "a0008");
  CHECK(table.origin.gpu == "A100-SXM4-40GB");
  CHECK(table.origin.repeats == 100);
  CHECK(table.rows.size() == 48);
  const LogRow& row = row_of(table, 33554432, true);
  CHECK(row.time_us == 1885.6);
  CHECK(row.line == 47);
  CHECK_FALSE(row.wrong);
  CHECK(row.operand.dtype == DType::float32);
}

TEST_CASE("nccl-tests: a broadcast is known by its root, a sum by its operation") {
  const Log log = read("abci_broadcast.txt");
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].collective == Collective::broadcast);
  CHECK(log.tables[0].origin.algorithm == "ncclBroadcast");
  CHECK(row_of(log.tables[0], 4, false).time_us == 7.79);
}

TEST_CASE("nccl-tests: ranks that no line lists are those of busbw / algbw, and a note says so") {
  const Log log = read("efa_srun.txt");
  CHECK(refused(log).empty());
  REQUIRE(log.tables.size() == 2);
  CHECK(log.tables[0].ranks == 16);
  CHECK(log.tables[1].ranks == 16);
  CHECK(log.tables[1].host_of_rank.empty());
  CHECK(row_of(log.tables[1], 17179869184, false).time_us == 66132);
  CHECK(row_of(log.tables[1], 17179869184, false).wrong == Count{0});
  const auto said = [](const LogNote& note) {
    return note.text == "the log does not list the ranks: 16, by busbw / algbw";
  };
  CHECK(std::count_if(log.notes.begin(), log.notes.end(), said) == 2);
}

TEST_CASE("nccl-tests: an all_gather without its name is asked for, not guessed") {
  const Log log = read("superbench_allgather.txt");
  CHECK(log.tables.empty());
  REQUIRE(refused(log).size() == 1);
  CHECK(refused(log)[0].starts_with("14: the log does not say whether this is an all_gather"));
  const Log hinted =
      read("superbench_allgather.txt", {.collective = Collective::all_gather, .ranks = {}});
  REQUIRE(hinted.tables.size() == 1);
  CHECK(hinted.tables[0].ranks == 8);
  CHECK(row_of(hinted.tables[0], 8589934592, true).time_us == 32669);
}

TEST_CASE("nccl-tests 2.18: program, version and library are in the header") {
  const Log log = read("gh200_218.txt");
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].origin.tool == "nccl-tests 2.18.3");
  CHECK(log.tables[0].origin.library == "NCCL 2.30.4");
  CHECK(row_of(log.tables[0], 1, false).operand.dtype == DType::int8);
}

TEST_CASE("OSU: ranks are asked for, the time is that of the slowest rank where it is printed") {
  CHECK(refused(read("abci_osu.txt")).size() == 1);
  const Log log = read("abci_osu.txt", {.collective = {}, .ranks = 16});
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].origin.tool == "OSU 5.7");
  CHECK(log.tables[0].origin.backend == "mpi-cuda");
  CHECK_FALSE(log.tables[0].origin.mean_over_ranks);
  CHECK(row_of(log.tables[0], 33554432, false).time_us == 45547.50);
  const Log brief = read_log_text(
      "# OSU MPI Allgather Latency Test v7.1\n# Datatype: MPI_CHAR.\n"
      "# Size       Avg Latency(us)\n1     2.50\n2    2.75\n",
      {.collective = {}, .ranks = 4});
  REQUIRE(brief.tables.size() == 1);
  CHECK(brief.tables[0].origin.mean_over_ranks);
  CHECK(row_of(brief.tables[0], 8, false).time_us == 2.75);  // 2 bytes of each rank
}

TEST_CASE("IMB: processes and types from the header, other benchmarks are named") {
  const Log log = read("imb_allreduce.txt");
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].ranks == 144);
  CHECK(log.tables[0].origin.tool == "IMB 2018");
  CHECK(log.tables[0].origin.date == "Thu Jul 20 16:27:27 2023");
  CHECK(row_of(log.tables[0], 268435456, false).time_us == 353256.68);
  const Log other = read_log_text(
      "# Benchmarking PingPong \n# #processes = 2 \n"
      "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
      "            8         1000         1.67         1.67         1.67       9.56\n");
  CHECK(other.tables.empty());
  CHECK(refused(other) ==
        std::vector<std::string>{"3: records have no collective 'PingPong': 1 rows left out"});
}

TEST_CASE("IMB: each of several benchmarks on several numbers of processes is a table of its own") {
  std::string text =
      "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part\n"
      "# MPI_Datatype                   :   MPI_BYTE \n"
      "# MPI_Datatype for reductions    :   MPI_FLOAT\n";
  int time = 10;
  for (const std::string name : {"Allreduce", "Reduce_scatter", "Bcast"})
    for (const std::string ranks : {"2", "4", "8"})
      text += "# Benchmarking " + name + " \n# #processes = " + ranks +
              " \n# ( 6 additional processes waiting in MPI_Barrier)\n"
              "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
              "            8         1000         1.00         " +
              std::to_string(time++) + ".00         2.00\n";
  const Log log = read_log_text(text);
  CHECK(refused(log).empty());
  REQUIRE(log.tables.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(log.tables[i].collective == std::vector{Collective::allreduce, Collective::reduce_scatter,
                                                  Collective::broadcast}[i / 3]);
    CHECK(log.tables[i].ranks == std::vector<Rank>{2, 4, 8}[i % 3]);
    CHECK(row_of(log.tables[i], 8, i / 3 == 2).time_us == 10 + static_cast<int>(i));
    CHECK(log.tables[i].rows[0].operand.dtype == (i / 3 == 2 ? DType::uint8 : DType::float32));
  }
  const Log hinted = read_log_text(text, {.collective = {}, .ranks = 4});
  CHECK(hinted.tables.size() == 3);
  REQUIRE(refused(hinted).size() == 6);
  CHECK(refused(hinted)[0] ==
        "7: IMB prints 2 processes, but --assume says ranks=4: 1 rows left out");
}

TEST_CASE("OSU: each table has the type above it, NCCL's benchmarks and devices are named") {
  const auto osu = [](const std::string& title, const std::string& rest) {
    return read_log_text("# OSU " + title + " Allreduce Latency Test v7.5\n" + rest,
                         {.collective = {}, .ranks = 4});
  };
  const std::string rows = "# Size       Avg Latency(us)\n8    2.50\n16   2.75\n";
  const Log types = osu("MPI-CUDA", "# Datatype: MPI_CHAR.\n" + rows + "# Datatype: MPI_INT.\n" +
                                        rows + "# Datatype: MPI_FLOAT.\n" + rows);
  REQUIRE(types.tables.size() == 3);
  CHECK(types.tables[0].rows[1].operand.dtype == DType::int8);
  CHECK(types.tables[1].rows[1].operand.dtype == DType::int32);
  CHECK(types.tables[2].rows[1].operand.dtype == DType::float32);
  CHECK(types.tables[2].origin.backend == "mpi-cuda");
  const auto origin = [&](const std::string& title) {
    const Log log = osu(title, rows);
    REQUIRE(log.tables.size() == 1);
    CHECK(log.tables[0].origin.tool == "OSU 7.5");
    return log.tables[0].origin.backend + " " + log.tables[0].origin.algorithm;
  };
  CHECK(origin("MPI") == "mpi MPI_Allreduce");
  CHECK(origin("MPI-ROCM") == "mpi-rocm MPI_Allreduce");
  CHECK(origin("NCCL-CUDA") == "nccl ncclAllReduce");
  CHECK(origin("XCCL-CUDA") == "nccl ncclAllReduce");
  CHECK(refused(osu("MPI Non-blocking", rows)) ==
        std::vector<std::string>{
            "2: records have no collective 'Non-blocking Allreduce': 2 rows left out"});
}

namespace {

// A run of broadcast of 1 MiB in 100 us, with lines of NCCL before its table.
std::string broadcast_run(const std::string& ranks, const std::string& lines,
                          const std::string& end = "# Out of bounds values : 0 OK\n") {
  return "# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809\n"
         "# Collective test starting: broadcast_perf\n" +
         ranks + lines +
         "#       size         count      type   redop    root     time   algbw   busbw  #wrong    "
         " "
         "time   algbw   busbw  #wrong\n"
         " 1048576 262144 float none 0 100.00 10.49 10.49 0 100.00 10.49 10.49 0\n" +
         end;
}

std::string rank_line(int rank, int group, const std::string& host) {
  return "#  Rank  " + std::to_string(rank) + " Group  " + std::to_string(group) +
         " Pid   5000 on " + host + " device  0 [0000:05:00] NVIDIA H100 80GB HBM3\n";
}

}  // namespace

TEST_CASE("nccl-tests: of split communicators, the ranks are those of rank 0's") {
  std::string ranks;
  for (int rank = 0; rank < 8; ++rank) ranks += rank_line(rank, rank % 4, rank < 4 ? "n0" : "n1");
  const Log log = read_log_text(broadcast_run(ranks, ""));
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].ranks == 2);
  CHECK(log.tables[0].host_of_rank == std::vector<std::int32_t>{0, 1});
  REQUIRE(log.notes.size() == 1);
  CHECK(log.notes[0].text ==
        "8 ranks ran in 4 communicators at once: the rows are those of one, of 2");
  const LogHints other{.collective = {}, .ranks = 8};
  CHECK(refused(read_log_text(broadcast_run(ranks, ""), other)) ==
        std::vector<std::string>{"11: the header lists 2 ranks, but --assume says ranks=8: 1 rows "
                                 "left out"});
}

TEST_CASE("nccl-tests: what NCCL says is of one run") {
  const std::string ranks = rank_line(0, 0, "n0") + rank_line(1, 0, "n1");
  const Log log =
      read_log_text(broadcast_run(ranks,
                                  "n0:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
                                  "n0:1:1 [0] NCCL INFO Using network Socket\n") +
                    broadcast_run(ranks, "") + "n0:1:1 [0] NCCL INFO Using network IB\n" +
                    broadcast_run(ranks, ""));
  REQUIRE(log.tables.size() == 3);
  CHECK(log.tables[0].origin.environment ==
        std::map<std::string, std::string>{{"NCCL_ALGO", "Ring"}});
  CHECK(log.tables[0].origin.library == "NCCL 2.28.9, network Socket");
  CHECK(log.tables[1].origin.environment.empty());
  CHECK(log.tables[1].origin.library == "NCCL 2.28.9");
  CHECK(log.tables[2].origin.library == "NCCL 2.28.9, network IB");
  CHECK_FALSE(log.cut);
}

TEST_CASE("nccl-tests: a log without an end, and one of a failed run, are cut") {
  const std::string ranks = rank_line(0, 0, "n0") + rank_line(1, 0, "n1");
  const Log without = read_log_text(broadcast_run(ranks, "", ""));
  CHECK(without.cut);
  CHECK(without.tables.size() == 1);
  const Log failed = read_log_text(
      broadcast_run(ranks, "", "n0: Test NCCL failure common.cu:1005 'unhandled cuda error / '\n"));
  CHECK(failed.cut);
  REQUIRE(failed.notes.size() == 2);
  CHECK(failed.notes[1].text ==
        "the benchmark failed: Test NCCL failure common.cu:1005 'unhandled cuda error / '");
}

TEST_CASE("a benchmark's own verdict against its results is kept, with its line") {
  const std::string ranks = rank_line(0, 0, "n0") + rank_line(1, 0, "n1");
  const auto failures = [](const Log& log) {
    std::vector<std::string> all;
    for (const LogNote& note : log.notes)
      if (note.failed) all.push_back(std::to_string(note.line) + ": " + note.text);
    return all;
  };
  const auto with = [&](const std::string& foot) {
    return failures(read_log_text(broadcast_run(ranks, "", foot)));
  };
  CHECK(with("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 10.49 OK\n").empty());
  CHECK(with("# Out of bounds values : 2 FAILED\n# Avg bus bandwidth    : 10.49\n") ==
        std::vector<std::string>{"7: the benchmark failed: Out of bounds values : 2 FAILED"});
  CHECK(with("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 10.49 FAILED\n") ==
        std::vector<std::string>{"8: the benchmark failed: Avg bus bandwidth    : 10.49 FAILED"});
  CHECK(with(" Out of bounds values : 2 FAILED\n") ==  // version 1
        std::vector<std::string>{"7: the benchmark failed: Out of bounds values : 2 FAILED"});

  const std::string osu =
      "# OSU MPI Allreduce Latency Test v7.5\n# Datatype: MPI_FLOAT.\n"
      "# Size       Avg Latency(us)        Validation\n"
      "4                       1.50              Pass\n"
      "8                       1.60              Fail\n";
  CHECK(failures(read_log_text(osu, {.collective = {}, .ranks = 4})) ==
        std::vector<std::string>{"5: the benchmark failed: the validation of 8 bytes"});

  const auto json = [&](const std::string& end) {
    return failures(read_log_json(R"({"results": [])" + end + "}"));
  };
  CHECK(json(R"(, "out_of_bounds": {"count": 0, "okay": "true"}, "errors": [],
                "average_bus_bandwidth": {"bandwidth": 9.5, "okay": "unchecked"})")
            .empty());
  CHECK(json(R"(, "out_of_bounds": {"count": 2, "okay": "false"}, "errors": ["cut off"],
                "average_bus_bandwidth": {"bandwidth": 9.5, "okay": "false"})") ==
        std::vector<std::string>{
            "1: the benchmark failed: out_of_bounds counts 2",
            "1: the benchmark failed: average_bus_bandwidth is 9.5, which is not okay",
            "1: the benchmark failed: errors names 1: cut off"});
}

TEST_CASE("nccl-tests: what contradicts itself is named with its line") {
  const std::string head =
      "# Collective test starting: all_reduce_perf\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time "
      "  algbw   busbw #wrong\n";
  const auto notes = [&](const std::string& row) { return refused(read_log_text(head + row)); };
  const std::string good = " 1048576 262144 float sum -1 123.2 8.51 15.95 0 121.3 8.64 16.21 0\n";
  CHECK(notes(good).empty());
  CHECK(notes(good + " 1048576 262144 float sum -1 123.2 9.51 15.95 0 121.3 8.64 16.21 0\n") ==
        std::vector<std::string>{"4: algbw is 9.51 GB/s, but 1048576 bytes in 123.2 us are 8.51117 "
                                 "GB/s"});
  CHECK(
      notes(good + good + " 1048576 262144 float sum -1 123.2 8.51 10.00 0 121.3 8.64 16.21 0\n") ==
      std::vector<std::string>{"5: the numbers are not those of allreduce of 16 ranks"});
  CHECK(notes(good + " 1048576 262143 float sum -1 123.2 8.51 15.95 0 121.3 8.64 16.21 0\n") ==
        std::vector<std::string>{"4: 262143 elements of 4 bytes are no part of 1048576 bytes"});
  CHECK(notes(good + " 1048576 262144 float mulsum -1 123.2 8.51 15.95 0 121.3 8.64 16.21 0\n") ==
        std::vector<std::string>{"4: records have no operation mulsum"});
}

TEST_CASE("nccl-tests: a header that lacks a rank is not believed") {
  std::string text = text_of(path_of("gcp_a3mega.txt"));
  const std::size_t last = text.find("#  Rank 15");
  text.erase(last, text.find('\n', last) + 1 - last);
  const Log log = read_log_text(text);
  CHECK(log.tables.empty());
  REQUIRE(refused(log).size() == 1);
  CHECK(refused(log)[0].find(
            "the header lists 15 ranks, but the numbers are those of allreduce of 16") !=
        std::string::npos);
}

TEST_CASE("nccl-tests 1: milliseconds") {
  const Log log = read_log_text(
      "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  "
      "busbw      res\n"
      "    10000000       2500000   float     sum    1.160   8.62  15.09    1e-06    1.156   8.65  "
      "15.14    1e-06\n");
  REQUIRE(log.tables.size() == 1);
  CHECK(row_of(log.tables[0], 10000000, false).time_us == Approx(1160));
  CHECK(log.tables[0].ranks == 8);
}

TEST_CASE("JSON of nccl-tests and of rccl-tests") {
  const std::string nccl = R"({"version":3,"start_time":"2026-07-09 12:00:00",
    "args":["./all_reduce_perf","-b","1M"],"nccl_version":22905,
    "config":{"iterations":20,"aggregated_iterations":1,"blocking_collectives":"false","devices":[
      {"rank":0,"hostname":"h0","device_info":"NVIDIA H100"},{"rank":1,"hostname":"h1"}]},
    "results":[{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",
      "out_of_place":{"time":100.0,"alg_bw":10.48576,"bus_bw":10.48576,"nwrong":0.0},
      "in_place":{"time":100.0,"alg_bw":11.0,"bus_bw":11.0,"nwrong":null}}]})";
  const Log log = read_log_json(nccl);
  CHECK(refused(log) ==
        std::vector<std::string>{"1: result 1: algbw is 11 GB/s, but 1048576 bytes in 100 us are "
                                 "10.4858 GB/s"});
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].origin.library == "NCCL 2.29.5");
  CHECK(log.tables[0].ranks == 2);
  CHECK(log.tables[0].rows.size() == 1);
  CHECK(refused(read_log_json(nccl.substr(0, 500))).size() == 1);
  const Log rccl = read_log_json(
      R"([{"numCycle":0,"name":"AllGather","nodes":1,"ranks":4,"size":4096,"type":"half",
      "redop":"none","inPlace":1,"time":10.0,"algBw":0.4096,"busBw":0.3072,"wrong":"0"}])");
  CHECK(refused(rccl).empty());
  REQUIRE(rccl.tables.size() == 1);
  CHECK(rccl.tables[0].origin.backend == "rccl");
  CHECK(rccl.tables[0].rows[0].in_place);
}

TEST_CASE("JSON of nccl-tests: a process lists its first rank, for all its GPUs") {
  const std::string text = R"({"version":3,"args":["./broadcast_perf"],"nccl_version":22809,
    "env":["NCCL_ALGO=Ring","PATH=/bin"],
    "config":{"nthreads":2,"ngpus":2,"devices":[
      {"rank":0,"group":0,"hostname":"h0"},{"rank":4,"group":0,"hostname":"h1"}]},
    "results":[{"size":1048576,"count":262144,"type":"float","redop":"none","root":"     3",
      "out_of_place":{"time":100.0,"alg_bw":10.48576,"bus_bw":10.48576,"nwrong":0.0}}]})";
  const Log log = read_log_json(text);
  CHECK(refused(log).empty());
  REQUIRE(log.tables.size() == 1);
  CHECK(log.tables[0].ranks == 8);
  CHECK(log.tables[0].host_of_rank == std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(log.tables[0].rows[0].root == 3);
  CHECK(log.tables[0].origin.environment ==
        std::map<std::string, std::string>{{"NCCL_ALGO", "Ring"}});
  std::string split = text;
  split.replace(split.find(R"("rank":4,"group":0)"), 18, R"("rank":4,"group":1)");
  const Log half = read_log_json(split);
  REQUIRE(half.tables.size() == 1);
  CHECK(half.tables[0].ranks == 4);
}

TEST_CASE("records of logs obey the schema, and folders are read file by file") {
  const Folder folder;
  folder.with("b.txt", text_of(path_of("gh200_218.txt")));
  folder.with("a.txt", "no table\n");
  const ImportedResults all = read_measurements(folder.file("."));
  CHECK(all.refused == 0);
  REQUIRE(all.notes.size() == 1);
  CHECK(all.notes[0].ends_with("a.txt: neither records nor a known log format: left out"));
  CHECK(all.results.records.size() == 12);
  for (Json record : all.results.records) CHECK(make_readable(record) == "");
  for (Json context : all.results.contexts) CHECK(make_readable(context) == "");
  CHECK(all.results.contexts.front()["commit"] == "");  // arlab did not measure this
  const Json& record = all.results.records.front();
  CHECK(record["source"] == "nccl-tests 2.18.3");
  CHECK(record["mode"] == "streaming");
  CHECK(record["repeats"] == 20);
  CHECK(record["groups"] == 2);
  CHECK(record["summary_over_ranks"] == "mean");
  CHECK(record["time_us"]["n"] == 1);
}
