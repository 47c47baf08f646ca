// The log of a program's calls: counts, times, and the texts made of them.
#include "collectives/plugins/mpi/call_log.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

const CallKind kSmall{.ranks = 4, .bytes = 8, .type = "float64", .op = "sum", .ran = "mpi"};
const CallKind kLarge{.ranks = 4, .bytes = 1 << 20, .type = "float32", .op = "max", .ran = "ring"};

Calls three_calls() {
  CallLog log;
  log.add(kSmall, 1e-6);
  log.add(kLarge, 2e-3);
  log.add(kSmall, 3e-6);
  return log.calls();
}

}  // namespace

TEST_CASE("calls of a kind are counted together") {
  const auto calls = three_calls();
  CHECK(calls.size() == 2);
  CHECK(calls.at(kSmall).calls == 2);
  CHECK(calls.at(kSmall).seconds == Approx(4e-6));
  CHECK(calls.at(kSmall).longest == 3e-6);
}

TEST_CASE("calls arrive at another rank as they were") {
  const Calls calls = three_calls(), arrived = read_calls(written(calls));
  REQUIRE(arrived.size() == calls.size());
  for (const auto& [kind, count] : calls) {
    CHECK(arrived.at(kind).calls == count.calls);
    CHECK(arrived.at(kind).seconds == count.seconds);
    CHECK(arrived.at(kind).longest == count.longest);
  }
  CHECK(read_calls(written({})).empty());
}

TEST_CASE("ranks that called nothing or something else are merged") {
  const Calls other{{kSmall, {.calls = 3, .seconds = 9e-6, .longest = 5e-6}}};
  const JobLog log = merged({{}, three_calls(), other});
  CHECK(log.shares.at("MPI_Allreduce").calls == 3);
  CHECK(log.shares.at("MPI_Allreduce").ours == 1);  // of the first rank with 3 calls
  CHECK(log.kinds.at(kSmall).calls == 3);
  CHECK(log.kinds.at(kSmall).least_rank_s == Approx(4e-6));
  CHECK(log.kinds.at(kSmall).most_rank_s == Approx(9e-6));
  CHECK(log.kinds.at(kSmall).longest == 5e-6);
  CHECK(log.kinds.at(kLarge).least_rank_s == log.kinds.at(kLarge).most_rank_s);
  CHECK(merged({}).kinds.empty());
}

TEST_CASE("the report has the most time first, and counts ours") {
  CHECK(report_of(merged({three_calls()})) ==
        "arlab: 1 of 3 calls of MPI_Allreduce ran by arlab\n"
        "| call | ranks | bytes | type | ran | calls | time, s | mean, us | longest, us |\n"
        "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |\n"
        "| Allreduce | 4 | 1048576 | float32 max | ring | 1 | 0.002 | 2000.00 | 2000.0 |\n"
        "| Allreduce | 4 | 8 | float64 sum | mpi | 2 | 0.000 | 2.00 | 3.0 |\n");
}

TEST_CASE("the report counts each call by itself, and the profile has allreduce only") {
  Calls calls;
  calls[{
      .ranks = 2, .bytes = 8, .type = "", .op = "", .ran = "shared memory", .call = "MPI_Bcast"}] =
      {.calls = 4, .seconds = 1e-6, .longest = 1e-6};
  const JobLog log = merged({read_calls(written(calls))});
  CHECK(
      report_of(log).starts_with("arlab: 0 of 0 calls of MPI_Allreduce ran by arlab\narlab: 4 of 4 "
                                 "calls of MPI_Bcast ran by arlab\n"));
  CHECK(profile_of(log).empty());
}

TEST_CASE("a profile is JSON Lines") {
  const Calls slower{{kSmall, {.calls = 2, .seconds = 5e-6, .longest = 3e-6}}};
  const std::string text = profile_of(merged({three_calls(), slower}));
  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  CHECK(first == nlohmann::json{{"kind", "profile"},
                                {"collective", "allreduce"},
                                {"ranks", 4},
                                {"bytes", 8},
                                {"dtype", "float64"},
                                {"op", "sum"},
                                {"ran", "mpi"},
                                {"calls", 2},
                                {"least_rank_s", 4e-6},
                                {"most_rank_s", 5e-6}});
}
