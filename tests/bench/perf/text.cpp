#include "bench/perf/text.hpp"

#include "bench/perf/json.hpp"
#include "bench/perf/perf.hpp"
#include "bench/results/record.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

PerfOptions options(const std::string& program, std::vector<std::string> words) {
  PerfOptions o;
  o.program = perf_program(program);
  words.insert(words.begin(), program);
  REQUIRE(parse_perf(words, o));
  return o;
}

PerfRow sample_row() {
  return {.shape = {1024, 256, 256},
          .type = "float",
          .op = "sum",
          .root = -1,
          .out_of_place = {12.345, 0.083, 0.124, 0},
          .in_place = {123456.7, 12.5, 18.75, 3}};
}

}  // namespace

TEST_CASE("perf: programs are known by their names, wherever they lie") {
  CHECK(is_perf_program("/usr/bin/all_reduce_perf"));
  CHECK(is_perf_program("reduce_scatter_perf_mpi"));
  CHECK(perf_program("./broadcast_perf").collective == Collective::broadcast);
  CHECK_FALSE(is_perf_program("/usr/bin/arlab"));
  CHECK_FALSE(is_perf_program("alltoall_perf"));
}

TEST_CASE("perf: a line has nccl-tests' columns") {
  CHECK(perf_line(sample_row(), true) ==
        "        1024           256     float     sum      -1    12.35    0.08    0.12       0  "
        " 123457   12.50   18.75       3\n");
  CHECK(perf_line(sample_row(), false).find("   N/A") != std::string::npos);
  CHECK(perf_line(sample_row(), true, "2026-11-22 09:00:00").ends_with("  2026-11-22 09:00:00\n"));
}

TEST_CASE("perf: numbers shrink to their width as in nccl-tests") {
  CHECK(perf_number(1.234, 7) == "   1.23");
  CHECK(perf_number(9999.99, 7) == "9999.99");
  CHECK(perf_number(12345.67, 7) == "12345.7");
  CHECK(perf_number(1234567, 7) == "1234567");
  CHECK(perf_number(123456789, 7) == "1.2e+08");
  CHECK(perf_number(123.456, 6) == "123.46");
  CHECK(perf_number(12345.6, 6) == " 12346");
  CHECK(perf_number(0, 6) == "  0.00");
}

TEST_CASE("perf: sizes and shapes are cut as nccl-tests cuts them") {
  CHECK(options("all_reduce_perf", {"-b", "8", "-e", "64", "-f", "2"}).sizes() ==
        std::vector<std::int64_t>{8, 16, 32, 64});
  CHECK(options("all_reduce_perf", {"-b", "1M", "-e", "3M"}).sizes() ==
        std::vector<std::int64_t>{1 << 20, 2 << 20, 3 << 20});
  CHECK(options("all_reduce_perf", {}).sizes() == std::vector<std::int64_t>{32 << 20});
  const PerfShape whole = perf_shape(Collective::allreduce, 10, 4, 3);
  CHECK((whole.size == 8 && whole.count == 2 && whole.elements == 2));
  const PerfShape parts = perf_shape(Collective::reduce_scatter, 1000, 4, 3);  // 83 per rank, 80
  CHECK((parts.size == 960 && parts.count == 80 && parts.elements == 240));
  CHECK(perf_shape(Collective::all_gather, 40, 4, 3).size == 0);
}

TEST_CASE("perf: rates are those of nccl-tests") {
  const PerfShape shape = perf_shape(Collective::allreduce, 1 << 20, 4, 4);
  const PerfTime time = perf_time(Collective::allreduce, shape, 4, 4, 100, 0);
  CHECK(time.algbw == Approx(10.48576));
  CHECK(time.busbw == Approx(10.48576 * 1.5));
  CHECK(perf_time(Collective::all_gather, shape, 4, 4, 100, 0).busbw == Approx(10.48576 * 0.75));
  CHECK(perf_time(Collective::broadcast, shape, 4, 4, 100, 0).busbw == Approx(10.48576));
  CHECK(perf_time(Collective::allreduce, shape, 4, 1, 100, 0).busbw == 0);
}

TEST_CASE("perf: options choose types, operations and roots") {
  const PerfOptions o = options("reduce_perf", {"-d", "all", "-o", "all", "-r", "all"});
  CHECK(o.dtypes().size() == 12);
  CHECK(options("reduce_perf", {"-d", "f8e5m2"}).dtypes() ==
        std::vector{collectives::DType::float8_e5m2});
  CHECK(perf_name(collectives::DType::float8_e4m3) == "f8e4m3");
  CHECK(o.ops().size() == 5);
  CHECK(o.roots(3) == std::vector<Rank>{0, 1, 2});
  CHECK(options("all_gather_perf", {"-o", "max"}).ops().size() == 1);
  CHECK(options("all_reduce_perf", {"-r", "7"}).roots(2) == std::vector<Rank>{0});
  const auto refused = [](std::vector<std::string> words) {
    const PerfOptions bad = options("reduce_perf", std::move(words));
    return failure([&] { bad.dtypes(), bad.ops(), bad.roots(4); });
  };
  CHECK(refused({"-o", "mulsum"}).find("scales while it sums") != std::string::npos);
  CHECK(refused({"-r", "4"}).find("give 0 to 3") != std::string::npos);
  CHECK(refused({"-d", "flaot"}).find("did you mean 'float'") != std::string::npos);
}

TEST_CASE("perf: blocking chooses how runs are timed") {
  CHECK(options("all_reduce_perf", {"-n", "7", "-m", "2"}).streamed() == 14);
  CHECK(options("all_reduce_perf", {"-n", "7"}).samples() == 1);
  CHECK(options("all_reduce_perf", {"-n", "7", "-z", "1"}).streamed() == 1);
  CHECK(options("all_reduce_perf", {"-n", "7", "-z", "1"}).samples() == 7);
}

TEST_CASE("perf: the footer says whether the bandwidth is enough") {
  const PerfOptions o = options("all_reduce_perf", {});
  PerfSummary s{.failed = 0, .average_busbw = 10};
  CHECK(perf_footer(o, s) ==
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 10 \n#\n"
        "# Collective test concluded: all_reduce_perf\n");
  s.expected_busbw = 11;
  CHECK(perf_footer(o, s).find("Avg bus bandwidth    : 10 OK") != std::string::npos);
  s.expected_busbw = 12;
  CHECK(perf_footer(o, s).find("Avg bus bandwidth    : 10 FAILED") != std::string::npos);
}

TEST_CASE("perf: JSON has nccl-tests' keys in their order, and its kinds of values") {
  const PerfOptions o = options("all_reduce_perf", {"-b", "8", "-e", "64", "-f", "2"});
  PerfReport report;
  report.start_time = "2026-11-22 09:00:00";
  report.end_time = "2026-11-22 09:00:01";
  report.devices = {{.rank = 0, .pid = 7, .host = "a/b", .info = "CPU"}};
  report.rows = {sample_row()};
  report.summary.average_busbw = 9.5;
  report.what = "ring";
  const std::string text = perf_json(o, report);
  const Json json = Json::parse(text);
  std::string keys;
  for (const auto& [key, value] : json.items()) keys += key + " ";
  CHECK(keys ==
        "version start_time args env nccl_version config results out_of_bounds "
        "average_bus_bandwidth errors end_time ");
  CHECK(json["config"]["step_factor"] == 2);
  CHECK(json["config"]["parallel_init"] == "false");
  CHECK(json["config"]["devices"][0]["hostname"] == "a/b");
  CHECK(json["results"][0]["root"] == "    -1");
  CHECK(json["results"][0]["out_of_place"]["time"].get<double>() == Approx(12.345));
  CHECK(json["results"][0]["in_place"]["nwrong"] == 3.0);
  CHECK(json["out_of_bounds"]["okay"] == "true");
  CHECK(json["average_bus_bandwidth"]["okay"] == "unchecked");
  CHECK(text.find("\"alg_bw\":0.083000,\"bus_bw\":0.124000,\"nwrong\":0.000000}") !=
        std::string::npos);
  CHECK(text.find("a\\/b") != std::string::npos);
}
