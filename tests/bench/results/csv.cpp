#include "bench/results/csv.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

TEST_CASE("CSV has a column for every JSON key, the same for every record") {
  Record full, empty;
  full.kind = empty.kind = "run";
  full.algorithm = "ring";
  full.claimed = Cost{1, 2, 3};
  full.time_us = Summary{10, 500, 480, 530, 470, 600};
  CHECK(csv_header(to_json(full)) == csv_header(to_json(empty)));
  CHECK(csv_header(to_json(full))
            .find(",claimed.messages,claimed.elements_sent,claimed.rounds,"
                  "time_us.n,time_us.median,time_us.ci95.0,time_us.ci95.1,"
                  "time_us.min,time_us.p99,") != std::string::npos);
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  CHECK(commas(csv_row(to_json(empty))) == commas(csv_header(to_json(empty))));
  CHECK(commas(csv_row(to_json(full))) == commas(csv_header(to_json(full))));
  CHECK(csv_row(to_json(full)).find(",10,500.0,480.0,530.0,470.0,600.0,") != std::string::npos);
}

TEST_CASE("CSV quotes as RFC 4180 says, and null is empty") {
  const auto row = [](Json value) {
    Json json{{"a", std::move(value)}, {"claimed", Json::object()}, {"time_us", Json::object()}};
    return csv_row(json);
  };
  CHECK(row("plain text") == "plain text\n");
  CHECK(row("a,b") == "\"a,b\"\n");
  CHECK(row("say \"hi\"") == "\"say \"\"hi\"\"\"\n");
  CHECK(row("two\nlines") == "\"two\nlines\"\n");
  CHECK(row("two\r\nlines") == "\"two\r\nlines\"\n");
  CHECK(row(nullptr) == "\n");
  CHECK(row("") == "\n");
  CHECK(row(7) == "7\n");
  CHECK(row(0.25) == "0.25\n");
  CHECK(row(true) == "true\n");
  CHECK(row("\xC3\xA9") == "\xC3\xA9\n");
}
