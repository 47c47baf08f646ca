#include "bench/launches/launch_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/cli/units.hpp"
#include "bench/measure/rank_sum.hpp"
#include "bench/results/statistics.hpp"
#include "bench/results/table.hpp"

namespace arlab::bench {
namespace {

constexpr double kSignificantLaunches = 0.05;

double middle(const LaunchRow& row) { return summarize(row.medians_us).median; }

// What the competitors of a configuration share.
std::string problem_and_mode(const Json& record) {
  std::string all;
  for (const char* key : {"collective", "ranks", "elements", "dtype", "op", "root", "place", "mode",
                          "repeats", "cache", "start"})
    all += record.value(key, Json()).dump() + " ";
  return all;
}

void add_verdicts(std::vector<LaunchRow>& rows) {
  std::map<std::string, std::vector<LaunchRow*>> contests;
  for (LaunchRow& row : rows)
    if (!row.medians_us.empty()) contests[problem_and_mode(row.record)].push_back(&row);
  struct Test {
    LaunchRow *best, *other;
  };
  std::vector<Test> tests;
  std::vector<double> p;
  for (auto& [problem, members] : contests) {
    LaunchRow* const best = *std::min_element(
        members.begin(), members.end(),
        [](const LaunchRow* a, const LaunchRow* b) { return middle(*a) < middle(*b); });
    if (members.size() > 1) best->verdict = "fastest";
    for (LaunchRow* const other : members) {
      if (other == best) continue;
      tests.push_back({best, other});
      p.push_back(rank_sum_p(best->medians_us, other->medians_us));
    }
  }
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    auto& [best, other] = tests[i];
    other->p = corrected[i];
    const double least = least_rank_sum_p(best->medians_us.size(), other->medians_us.size());
    const bool hopeless = least * static_cast<double>(p.size()) >= kSignificantLaunches;
    const bool slower = corrected[i] < kSignificantLaunches;
    other->verdict = slower ? "slower" : hopeless ? "not enough launches" : "tie";
    if (!slower && best->verdict != "not enough launches") best->verdict = other->verdict;
  }
}

std::string text_of_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

}  // namespace

std::vector<LaunchRow> rows_of_launches(const std::vector<std::vector<Json>>& launches) {
  std::vector<LaunchRow> rows;
  std::map<std::string, std::size_t> places;
  for (const std::vector<Json>& records : launches)
    for (const Json& record : records) {
      const auto [at, added] = places.try_emplace(identity(record), rows.size());
      if (added) rows.emplace_back();
      LaunchRow& row = rows[at->second];
      row.record = record;
      if (record["wrong"].is_number()) row.wrong += record["wrong"].get<Count>();
      const Json& time = record["time_us"];
      if (!time.is_object() || time["median"].get<double>() <= 0) continue;
      const double median = time["median"];
      row.medians_us.push_back(median);
      row.within += (time["ci95"][1].get<double>() - time["ci95"][0].get<double>()) / 2 / median;
    }
  for (LaunchRow& row : rows)
    if (!row.medians_us.empty()) row.within /= static_cast<double>(row.medians_us.size());
  add_verdicts(rows);
  return rows;
}

std::string table_of_launches(const std::vector<LaunchRow>& rows) {
  static constexpr const char* kSettings[] = {"dtype", "op",   "root",  "segments",
                                              "place", "mode", "cache", "start"};
  std::vector<const char*> settings;
  for (const char* key : kSettings) {
    const auto differs = [&](const LaunchRow& row) {
      return row.record.value(key, Json()) != rows.front().record.value(key, Json());
    };
    if (std::any_of(rows.begin(), rows.end(), differs)) settings.push_back(key);
  }
  std::vector<std::string> header{"algorithm", "ranks", "size"};
  header.insert(header.end(), settings.begin(), settings.end());
  header.insert(header.end(), {"time", "95% CI over launches", "launches", "between launches",
                               "within one", "p", "wrong", "verdict", "skipped"});
  std::vector<std::vector<std::string>> cells;
  for (const LaunchRow& row : rows) {
    std::vector<std::string> line{text_of_value(row.record["algorithm"]),
                                  text_of_value(row.record["ranks"]),
                                  show_bytes(row.record["bytes"].get<Count>())};
    for (const char* key : settings) line.push_back(text_of_value(row.record.value(key, Json())));
    if (row.medians_us.empty()) {
      line.insert(line.end(),
                  {"", "", "0", "", "", "", "", "", text_of_value(row.record["skipped"])});
      cells.push_back(std::move(line));
      continue;
    }
    const Summary s = summarize(row.medians_us);
    const std::string ends = show_time(s.low) + " to " + show_time(s.high);
    line.insert(
        line.end(),
        {show_time(s.median),
         coverage(s.samples) < 0.95 ? fmt::format("no CI of {}, range {}", s.samples, ends) : ends,
         fmt::to_string(s.samples), fmt::format("{:.1f}%", 100 * (s.max - s.min) / 2 / s.median),
         fmt::format("{:.1f}%", 100 * row.within), row.p < 1 ? fmt::format("{:.2g}", row.p) : "",
         fmt::to_string(row.wrong), row.verdict, ""});
    cells.push_back(std::move(line));
  }
  return compact(header, cells);
}

}  // namespace arlab::bench
