#include "bench/results/csv.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

std::string header_of(const Record& r) { return csv_header(csv_columns(to_json(r))); }
std::string row_of(const Record& r) {
  const Json json = to_json(r);
  return csv_row(json, csv_columns(json));
}
auto commas(const std::string& line) { return std::count(line.begin(), line.end(), ','); }

}  // namespace

TEST_CASE("CSV has a column for every JSON key, the same for every record of a kind") {
  Record full, empty;
  full.body = RunBody{.backend = "threads", .time_us = Summary{10, 500, 480, 530, 470, 600}};
  empty.body = RunBody{};
  full.algorithm = "ring";
  full.claimed = Cost{1, 2, 3};
  CHECK(header_of(full) == header_of(empty));
  CHECK(header_of(full).find(",claimed.messages,claimed.elements_sent,claimed.rounds,"
                             "time_us.n,time_us.median,time_us.ci95.0,time_us.ci95.1,"
                             "time_us.min,time_us.p99,") != std::string::npos);
  CHECK(commas(row_of(empty)) == commas(header_of(empty)));
  CHECK(commas(row_of(full)) == commas(header_of(full)));
  CHECK(row_of(full).find(",10,500.0,480.0,530.0,470.0,600.0,") != std::string::npos);
}

TEST_CASE("in CSV a list of any length is one cell") {
  Record simulated, trained;
  LinkUtilization links;
  links.links = {{{"a-b", "host", 1, 0.5, 1}, {}}, {{"b-a", "host", 1, 0.5, 1}, {}}};
  simulated.body = SimulateBody{.model = "fluid", .links = links};
  CHECK(row_of(simulated).find(",a-b b-a,") != std::string::npos);
  TrainBody body{.model = "mlp"};
  const std::string header = header_of([&] { return trained.body = body, trained; }());
  body.epochs.resize(3);
  body.staleness = {{0, 1}};
  body.emulation = TrainBody::Emulation{};
  trained.body = body;
  CHECK(header_of(trained) == header);
  CHECK(row_of(trained).find(",\"[{\"\"epoch\"\":0,") != std::string::npos);
}

TEST_CASE("a CSV row follows the columns, whatever the order of the record's keys") {
  CHECK(csv_row({{"b", 2}, {"a", 1}, {"c", 3}}, {"a", "b", "d"}) == "1,2,\n");
}

TEST_CASE("CSV quotes by RFC 4180, and null is empty") {
  const auto row = [](Json value) { return csv_row({{"a", std::move(value)}}, {"a"}); };
  CHECK(row("plain text") == "plain text\n");
  CHECK(row("a,b") == "\"a,b\"\n");
  CHECK(row("say \"hi\"") == "\"say \"\"hi\"\"\"\n");
  CHECK(row("a;b") == "\"a;b\"\n");
  CHECK(row("two\nlines") == "two\\nlines\n");  // what a terminal obeys, as an escape
  CHECK(row("\x1b[31m") == "\\x1b[31m\n");
  CHECK(row(nullptr) == "\n");
  CHECK(row("") == "\n");
  CHECK(row(7) == "7\n");
  CHECK(row(0.25) == "0.25\n");
  CHECK(row(true) == "true\n");
  CHECK(row("\xC3\xA9") == "\xC3\xA9\n");
}

TEST_CASE("CSV has no cell that a spreadsheet computes, and numbers stay numbers") {
  const auto row = [](Json value) { return csv_row({{"a", std::move(value)}}, {"a"}); };
  CHECK(row("=1+1") == "'=1+1\n");
  CHECK(row("=cmd|'/c calc'!A1") == "'=cmd|'/c calc'!A1\n");
  CHECK(row("=a,b") == "\"'=a,b\"\n");
  CHECK(row("@SUM(A1)") == "'@SUM(A1)\n");
  CHECK(row("+1+2") == "'+1+2\n");
  CHECK(row("-1+2") == "'-1+2\n");
  CHECK(row("\t=1") == "'\\x09=1\n");
  CHECK(row("-1.5") == "-1.5\n");
  CHECK(row(-1.5) == "-1.5\n");
  CHECK(row("-2e-05") == "-2e-05\n");
  CHECK(row("-") == "'-\n");
  CHECK(row("a=b") == "a=b\n");
}
