#include "bench/results/record_table.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("without records there is no table") { CHECK(table(std::vector<Record>{}).empty()); }

TEST_CASE("each kind of record has its own columns") {
  const auto header = [](const std::string& kind) {
    std::string all;
    for (const Column& column : columns_of(kind)) all += column.header + ";";
    return all;
  };
  CHECK(header("count").find("messages claimed;counted;difference;") != std::string::npos);
  CHECK(header("verify").find("proof;") != std::string::npos);
  CHECK(header("simulate")
            .find("topology;time;p50;p99;80% interval;undisturbed;slowdown / delay;mean send;mean "
                  "receive;mean reduce;mean wait;of optimum;most utilized link;algbw GB/s;busbw "
                  "GB/s;") != std::string::npos);
  CHECK(header("run").find("95% CI of the median;modelled;collective;waiting;max "
                           "waiting;skew;p99;n;wrong;verdict;") != std::string::npos);
  for (const char* kind : {"count", "verify", "simulate", "run"})
    CHECK(header(kind).find("skipped;") != std::string::npos);
}

TEST_CASE("a difference has a sign, and a failed proof is in capitals") {
  Record r;
  r.algorithm = "ring";
  r.claimed = Cost{10, 20, 30};
  r.sent = Cost{12, 19, 30};
  CHECK(table({r}).find("|         +2 |") != std::string::npos);
  CHECK(table({r}).find("|         -1 |") != std::string::npos);
  CHECK(table({r}).find("|          0 |") != std::string::npos);
  r.body = VerifyBody{.fault = "rank 2 lacks the contribution of 0"};
  r.wrong = 1;
  CHECK(table({r}).find("| WRONG |") != std::string::npos);
  CHECK(table({r}).find("| rank 2 lacks the contribution of 0 |") != std::string::npos);
}

TEST_CASE("without a formula nothing is claimed, and nothing differs") {
  Record r;
  r.algorithm = "file:mine.py";
  r.claimed = r.sent = Cost{12, 20, 30};
  r.has_formula = false;
  CHECK(table({r}).find("claimed") == std::string::npos);
  CHECK(table({r}).find("difference") == std::string::npos);
  CHECK(table({r}).find("| messages counted | elements sent counted | rounds counted |") !=
        std::string::npos);
  CHECK(table({r}).find("|               12 |") != std::string::npos);
  CHECK(show_table(table_of({r}, {.columns = {"counted"}}), {.columns = {"counted"}}, {})
            .starts_with("| counted |"));
  CHECK(to_json(r)["claimed"].is_null());
}

TEST_CASE("settings are columns where they are not the usual ones") {
  Record r;
  r.algorithm = "ring";
  for (const char* kind : {"count", "verify", "simulate", "run"}) {
    if (std::string(kind) == "verify") r.body = VerifyBody{};
    if (std::string(kind) == "simulate") r.body = SimulateBody{};
    if (std::string(kind) == "run") r.body = RunBody{};
    CHECK(table({r}).find("dtype") == std::string::npos);
    CHECK(show_table(table_of({r}, {.sort = "dtype"}), {}, {}).find("dtype") != std::string::npos);
    Record other = r;
    other.operand = {collectives::DType::int64, collectives::Op::max};
    other.problem.root = 3;
    other.segments = 2;
    const std::string both = table({r, other});
    for (const char* cell :
         {"| dtype", "| op", "| root", "| segments", "| float32", "| int64", "| sum", "| max"})
      CHECK(both.find(cell) != std::string::npos);
  }
}
