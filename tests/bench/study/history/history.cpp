#include "bench/study/history/history.hpp"

#include <cmath>
#include <random>

#include "bench/study/history/change_point.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Json timed(const std::string& algorithm, double us, Count n = 40, Count wrong = 0) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = 4, .elements = 256};
  r.wrong = wrong;
  r.body = RunBody{.backend = "threads", .time_us = Summary{n, us, us * 0.99, us * 1.01, us, us}};
  Json record = to_json(r);
  record["context"] = 0;
  return record;
}

// A file of one host, whose date is a day of a month.
HistoryFile file_of(const std::string& path, int day, std::vector<Json> records,
                    const std::string& host = "n1", const std::string& commit = "abc") {
  Results results;
  results.contexts.push_back({{"date", fmt::format("2026-09-{:02}T04:00:00Z", day)},
                              {"host", host},
                              {"cpu", "cpu"},
                              {"mpi", nullptr},
                              {"commit", commit}});
  results.records = std::move(records);
  return history_file(path, std::move(results));
}

std::vector<HistoryFile> weeks_of(const std::vector<double>& us, const std::string& host = "n1") {
  std::vector<HistoryFile> files;
  for (std::size_t i = 0; i < us.size(); ++i)
    files.push_back(file_of(fmt::format("{}/week{}.jsonl", host, i + 1), static_cast<int>(i) + 1,
                            {timed("ring", us[i])}, host));
  return files;
}

// Medians that differ by 3% from file to file, and from week `step` on by a factor more.
std::vector<double> noisy(std::mt19937& random, std::size_t step = 0, double factor = 1) {
  std::normal_distribution<double> noise(0, 0.03);
  std::vector<double> us;
  for (std::size_t i = 0; i < 8; ++i)
    us.push_back(100 * std::exp(noise(random)) * (step > 0 && i + 1 >= step ? factor : 1));
  return us;
}

std::string said(const History& history) {
  return fmt::format("{}", fmt::join(sentences(history, 0.05), "\n"));
}

}  // namespace

TEST_CASE("history: a step of 15% in week 6 of 8 is found there") {
  const History history = history_of(weeks_of({100, 101, 99, 100, 102, 115, 116, 114}), 0.05);
  REQUIRE(history.all.size() == 1);
  const Trend& trend = history.all.front();
  CHECK(trend.verdict == Trend::Verdict::slower);
  CHECK(trend.since == 5);
  CHECK(trend.ratio() == Approx(115 / 100.395).epsilon(1e-3));
  CHECK(history.failed());
  CHECK_THAT(said(history), contains("since week6.jsonl (2026-09-06), most ring"));
  CHECK_THAT(said(history), contains("1.15 times"));
  const std::string text = show_table(table(history), {}, {});
  CHECK(text.find("week6.jsonl") != std::string::npos);
}

TEST_CASE("history: noise of 3% from file to file is hardly ever a change, a step of 15% mostly") {
  int false_alarms = 0, found = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const History quiet = history_of(weeks_of(noisy(random)), 0.05);
    false_alarms += quiet.all.front().has_changed() ? 1 : 0;
    const History stepped = history_of(weeks_of(noisy(random, 6, 1.15)), 0.05);
    found += stepped.failed() && stepped.all.front().since == 5 ? 1 : 0;
  }
  CAPTURE(false_alarms, found);
  CHECK(false_alarms <= 4);
  CHECK(found >= 160);
}

TEST_CASE("history: equal, few, and exact times") {
  CHECK_FALSE(history_of(weeks_of({100, 100, 100, 100}), 0.05).failed());
  CHECK_FALSE(history_of(weeks_of({100, 100, 104}), 0.05).failed());
  CHECK(history_of(weeks_of({100, 150}), 0.05).failed());
  CHECK(history_of(weeks_of({100, 100, 150}), 0.05).all.front().since == 2);
  const History faster = history_of(weeks_of({150, 150, 150, 100, 100, 100}), 0.05);
  CHECK(faster.all.front().verdict == Trend::Verdict::faster);
  CHECK_FALSE(faster.failed());
  // One outlier among others is no level.
  CHECK_FALSE(history_of(weeks_of({100, 101, 100, 150, 99, 100, 101, 100}), 0.05).failed());
}

TEST_CASE("history: a file alone has no change, and configurations apart are counted") {
  const History one = history_of(weeks_of({100}), 0.05);
  CHECK(one.all.empty());
  CHECK(one.once == 1);
  std::vector<HistoryFile> apart;
  apart.push_back(file_of("a", 1, {timed("ring", 1)}));
  apart.push_back(file_of("b", 2, {timed("tree", 1)}));
  apart.push_back(file_of("c", 3, {}));
  const History none = history_of(std::move(apart), 0.05);
  CHECK(none.all.empty());
  CHECK(none.once == 2);
}

TEST_CASE("history: files come in order of date, and those of one date as given") {
  std::vector<HistoryFile> files = weeks_of({100, 100, 100, 150, 150, 150});
  std::swap(files[0], files[5]);
  std::swap(files[1], files[3]);
  const History sorted = history_of(std::move(files), 0.05);
  CHECK(sorted.files[3].path == "n1/week4.jsonl");
  CHECK(sorted.all.front().since == 3);
  std::vector<HistoryFile> same;
  for (const double us : {150, 150, 150, 100, 100, 100})
    same.push_back(file_of(fmt::format("f{}", same.size()), 1, {timed("ring", us)}));
  const History given = history_of(std::move(same), 0.05);
  CHECK(given.files[0].path == "f0");
  CHECK(given.all.front().verdict == Trend::Verdict::faster);
}

TEST_CASE("history: each host is compared with itself, and what else differs is said") {
  std::vector<HistoryFile> files = weeks_of({100, 100, 100, 100, 100, 100});
  for (HistoryFile& file : weeks_of({200, 200, 200, 300, 300, 300}, "n2"))
    files.push_back(std::move(file));
  files.back().commit = "def";
  const History history = history_of(std::move(files), 0.05);
  CHECK(history.hosts == 2);
  REQUIRE(history.all.size() == 2);
  CHECK(history.all[0].host == "n2");
  CHECK(history.all[0].verdict == Trend::Verdict::slower);
  CHECK(history.files[history.all[0].since].path == "n2/week4.jsonl");
  CHECK(history.all[1].verdict == Trend::Verdict::same);
  CHECK(said(history).find("of 2 hosts, n1, n2") != std::string::npos);
  CHECK(said(history).find("differ in commit: abc on host n1, abc on host n2, def from "
                           "n2/week6.jsonl on") != std::string::npos);
  CHECK(files_table(history.files).find("n2/week6.jsonl") != std::string::npos);
}

TEST_CASE("history: wrong results fail, and few runs of few files have no verdict") {
  std::vector<HistoryFile> files = weeks_of({100, 100, 100});
  files.push_back(file_of("n1/week4.jsonl", 4, {timed("ring", 100, 40, 3)}));
  const History wrong = history_of(std::move(files), 0.05);
  CHECK(wrong.all.front().verdict == Trend::Verdict::wrong);
  CHECK(wrong.failed());
  std::vector<HistoryFile> few;
  for (int day = 1; day <= 3; ++day)
    few.push_back(file_of(fmt::format("f{}", day), day, {timed("ring", day < 3 ? 100 : 200, 3)}));
  const History unsure = history_of(std::move(few), 0.05);
  CHECK(unsure.all.front().verdict == Trend::Verdict::unsure);
  CHECK_FALSE(unsure.failed());
}

TEST_CASE("history: what is too noisy in each configuration shows in all together") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.06);
  std::vector<HistoryFile> files;
  for (int day = 1; day <= 8; ++day) {
    std::vector<Json> records;
    for (int a = 0; a < 12; ++a)
      records.push_back(
          timed(fmt::format("a{}", a), 100 * std::exp(noise(random)) * (day >= 6 ? 1.12 : 1)));
    files.push_back(file_of(fmt::format("f{}", day), day, std::move(records)));
  }
  const History history = history_of(std::move(files), 0.05);
  const Trend& together = history.all.front();
  CHECK(together.record.is_null());
  CHECK(together.members == 12);
  CHECK(together.verdict == Trend::Verdict::slower);
  CHECK(together.since == 5);
  CHECK(said(history).find("all 12 together: slower, 1.1") != std::string::npos);
  const std::vector<Json> records = records_of(history);
  CHECK(records.size() == 13);
  CHECK(records[0]["since"] == "f6");
  CHECK(records[0]["algorithm"].is_null());
  CHECK(records[1]["files"].size() == 8);
}

TEST_CASE("change point: the level before and after, and p grows with the places") {
  const std::vector<LevelPoint> points{{0, 0.01}, {0, 0.01}, {1, 0.01}};
  const ChangePoint change = change_point(points);
  CHECK(change.first == 2);
  CHECK(change.before == Approx(0).margin(1e-12));
  CHECK(change.after == Approx(1));
  CHECK(change.p < 1e-6);
  const std::vector<LevelPoint> equal(4, LevelPoint{1, 0});
  CHECK(change_point(equal).p == 1);
  const std::vector<LevelPoint> exact{{1, 0}, {1, 0}, {1.1, 0}, {1.1, 0}, {1.1, 0}, {1.1, 0}};
  CHECK(change_point(exact).first == 2);
  CHECK(change_point(exact).p == 0);
}
