#include "bench/run/launch_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "bench/results/record_table.hpp"
#include "bench/results/statistics.hpp"
#include "bench/study/rank_sum.hpp"
#include "bench/study/standings.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

double middle(const LaunchRow& row) { return summarize(row.medians_us).median; }

// What the competitors of a configuration share.
std::string problem_and_mode(const Json& record) {
  std::string all;
  for (const char* key :
       {"collective", "ranks", "elements", "dtype", "op", "root", "groups", "dims", "trees",
        "place", "mode", "repeats", "cache", "start", "disturbance"})
    all += record.value(key, Json()).dump() + " ";
  return all;
}

// The library's own collective, not one of its algorithms, whose names have a colon.
bool is_library_row(const LaunchRow* row) {
  return row->record.value("family", Json()) == "native" &&
         row->record["algorithm"].get<std::string>().find(':') == std::string::npos;
}

void add_verdicts(std::vector<LaunchRow>& rows) {
  std::map<std::string, std::vector<LaunchRow*>> contests;
  for (LaunchRow& row : rows)
    if (!row.medians_us.empty()) contests[problem_and_mode(row.record)].push_back(&row);
  std::vector<LaunchRow*> tested, fastest;
  std::vector<FastestTest> tests;
  for (auto& [problem, members] : contests) {
    if (members.size() == 1) continue;
    LaunchRow* const best = *std::min_element(
        members.begin(), members.end(),
        [](const LaunchRow* a, const LaunchRow* b) { return middle(*a) < middle(*b); });
    for (LaunchRow* const other : members) {
      if (other == best) continue;
      tested.push_back(other);
      tests.push_back({fastest.size(), rank_sum_p(best->medians_us, other->medians_us),
                       least_rank_sum_p(best->medians_us.size(), other->medians_us.size())});
    }
    fastest.push_back(best);
  }
  const Standings standings = standings_of(tests);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p = standings.p[i];
    tested[i]->verdict = text_of(standings.tested[i], "launches");
  }
  for (std::size_t k = 0; k < fastest.size(); ++k)
    fastest[k]->verdict = text_of(standings.fastest[k], "launches");
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

std::vector<Json> records_of(const std::vector<LaunchRow>& rows) {
  std::map<std::string, std::vector<const LaunchRow*>> contests;
  for (const LaunchRow& row : rows)
    if (!row.medians_us.empty()) contests[problem_and_mode(row.record)].push_back(&row);
  std::vector<Json> records;
  for (const LaunchRow& row : rows) {
    Json& record = records.emplace_back(row.record);
    if (row.medians_us.empty()) continue;
    record["time_us"] = to_json(summarize(row.medians_us));
    record["wrong"] = row.wrong;
    for (const char* key : {"library", "library_ratio", "library_rank_sum_p", "rank_sum_p"})
      record[key] = nullptr;
    const auto& members = contests[problem_and_mode(row.record)];
    const LaunchRow* const best = *std::min_element(
        members.begin(), members.end(),
        [](const LaunchRow* a, const LaunchRow* b) { return middle(*a) < middle(*b); });
    if (best != &row) record["rank_sum_p"] = rank_sum_p(best->medians_us, row.medians_us);
    const auto library = std::find_if(members.begin(), members.end(), is_library_row);
    if (library == members.end()) continue;
    record["library"] = (*library)->record["algorithm"];
    record["library_ratio"] = middle(**library) / middle(row);
    if (*library != &row)
      record["library_rank_sum_p"] = rank_sum_p((*library)->medians_us, row.medians_us);
  }
  return records;
}

std::vector<Json> over_launches(const Results& results) {
  std::vector<std::vector<Json>> all(results.records.size());  // what stands in each one's place
  std::map<std::string, std::map<std::size_t, std::vector<std::size_t>>> commands;  // by context
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& record = results.records[i];
    all[i] = {record};
    const Json context = record.value("context", Json());
    if (!context.is_number() || record.value("kind", Json()) != "run") continue;
    const auto number = context.get<std::size_t>();
    const Json& its = results.contexts[number];
    commands[its.value("command", Json()).dump() + its.value("host", Json()).dump()][number]
        .push_back(i);
  }
  for (const auto& [command, contexts] : commands) {
    std::vector<std::vector<Json>> launches;
    for (const auto& [number, places] : contexts) {
      launches.emplace_back();
      for (const std::size_t i : places) launches.back().push_back(results.records[i]);
    }
    const std::vector<LaunchRow> rows = rows_of_launches(launches);
    if (std::ranges::none_of(rows, [](const LaunchRow& row) { return row.medians_us.size() > 1; }))
      continue;
    for (const auto& [number, places] : contexts)
      for (const std::size_t i : places) all[i].clear();
    all[contexts.rbegin()->second.back()] = records_of(rows);
  }
  std::vector<Json> joined;
  for (std::vector<Json>& records : all) std::ranges::move(records, std::back_inserter(joined));
  return joined;
}

Table table_of_launches(const std::vector<LaunchRow>& rows, const TableView& view) {
  static constexpr const char* kSettings[] = {"dtype", "op",   "root",  "segments",
                                              "place", "mode", "cache", "start"};
  const std::vector<const char*> differing = differing_keys(kSettings, rows);
  std::vector<const char*> settings;
  for (const char* const key : kSettings)
    if (names_column(view, key) || std::ranges::count(differing, key) > 0) settings.push_back(key);
  Table table;
  table.columns = {{"algorithm"}, {"ranks"}, {"size"}};
  for (const char* setting : settings) table.columns.push_back({setting});
  const Table::Column others[] = {{"time"},
                                  {"95% CI over launches", Detail::some},
                                  {"launches", Detail::full},
                                  {"between launches", Detail::full},
                                  {"within one", Detail::full},
                                  {"p", Detail::some},
                                  {"wrong", Detail::some},
                                  {"verdict"},
                                  {"skipped", Detail::some}};
  table.columns.insert(table.columns.end(), std::begin(others), std::end(others));
  for (const LaunchRow& row : rows) {
    std::vector<std::string> line{cell_text(row.record["algorithm"]),
                                  cell_text(row.record["ranks"]),
                                  show_bytes(row.record["bytes"].get<Count>())};
    for (const char* key : settings) line.push_back(cell_text(row.record.value(key, Json())));
    if (row.medians_us.empty()) {
      line.insert(line.end(), {"", "", "0", "", "", "", "", "", cell_text(row.record["skipped"])});
      table.rows.push_back({std::move(line)});
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
    table.rows.push_back({.cells = std::move(line),
                          .emphasis = row.wrong > 0          ? Emphasis::bad
                                      : is_library_row(&row) ? Emphasis::baseline
                                                             : Emphasis::none,
                          .is_exception = row.wrong > 0});
  }
  return table;
}

}  // namespace arlab::bench
