#include "bench/formats/metrics/metrics.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("exposition: labels are escaped, empty ones left out, and the last sample counts") {
  Exposition all;
  all.declare("a", "Help with \\ and\nnewline.");
  all.declare("none", "Has no samples.");
  all.add("a", {{"x", "say \"hi\"\\\n"}, {"y", ""}}, 1);
  all.add("a", {}, 0.1);
  all.add("a", {}, std::numeric_limits<double>::infinity());
  CHECK(all.text() ==
        "# HELP a Help with \\\\ and\\nnewline.\n# TYPE a gauge\na +Inf\n"
        "a{x=\"say \\\"hi\\\"\\\\\\n\"} 1\n");
  CHECK(all.samples() == 2);
}

TEST_CASE("metrics: a record of a run, with host and date of its context") {
  Record r;
  r.algorithm = "ring";
  r.problem = {.ranks = 4, .elements = 256};
  r.wrong = 0;
  r.body = RunBody{.backend = "threads", .time_us = Summary{40, 100, 99, 102, 98, 120}};
  Results results;
  results.contexts.push_back({{"date", "1970-01-02T00:00:01Z"}, {"host", "n1"}});
  results.records.push_back(to_json(r));
  results.records.back()["context"] = 0;
  const std::string text = metrics_of(results).text();
  CHECK(text.find("kind=\"run\",algorithm=\"ring\",ranks=\"4\",bytes=\"1024\"") !=
        std::string::npos);
  CHECK(text.find("host=\"n1\"} 0.0001\n") != std::string::npos);
  CHECK(text.find("host=\"n1\"} 86401\n") != std::string::npos);
}

TEST_CASE("metrics: of two measurements of a configuration, the later one counts") {
  for (const auto& [first, second] : {std::pair(1, 2), {2, 1}}) {
    Results results;
    for (const int day : {first, second}) {
      Record r;
      r.algorithm = "ring";
      r.problem = {.ranks = 4, .elements = 256};
      r.body = RunBody{.backend = "threads", .time_us = Summary{40, 1e6 * day, 1, 1, 1, 1}};
      results.contexts.push_back(
          {{"date", "2026-11-0" + std::to_string(day) + "T00:00:01Z"}, {"host", "n1"}});
      results.records.push_back(to_json(r));
      results.records.back()["context"] = results.contexts.size() - 1;
    }
    CHECK_THAT(metrics_of(results).text(), Catch::Contains("host=\"n1\"} 2\n"));
  }
}

TEST_CASE("metrics: configurations have samples of their own") {
  Results results;
  for (const Rank root : {0, 1}) {
    Record r;
    r.algorithm = "tree";
    r.problem = {.ranks = 4, .elements = 256, .root = root};
    r.wrong = root == 0 ? 5 : 0;
    r.body = RunBody{.backend = "threads", .time_us = Summary{40, 100, 99, 102, 98, 120}};
    results.records.push_back(to_json(r));
    r.as<RunBody>().mode.cold = true;
    results.records.push_back(to_json(r));
  }
  const std::string text = metrics_of(results).text();
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find("\narlab_wrong_elements{", at)) != std::string::npos;
       ++at)
    ++times;
  CHECK(times == 4);
}

TEST_CASE("metrics: records without times have none") {
  Record r;
  r.algorithm = "ring";
  r.problem = {.ranks = 4, .elements = 256};
  r.body = CountBody{};
  Results results;
  results.records.push_back(to_json(r));
  CHECK(metrics_of(results).samples() == 0);
}
