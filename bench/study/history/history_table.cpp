// A history as tables: its files, and its configurations.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/results/record_table.hpp"
#include "bench/study/history/history.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using Verdict = Trend::Verdict;

std::vector<std::string> label_cells(const Trend& trend) {
  if (trend.record.is_null()) return {fmt::format("all {} together", trend.members), "", ""};
  return configuration_cells(trend.record);
}

// The settings that differ between configurations.
std::vector<const char*> differing_settings(const History& history) {
  struct Row {
    const Json& record;
  };
  std::vector<Row> rows;
  for (const Trend& trend : history.all)
    if (!trend.record.is_null()) rows.push_back({trend.record});
  return differing_keys(compared_settings(), rows);
}

std::string day_of(const std::string& date) { return date.substr(0, date.find('T')); }

}  // namespace

std::string verdict_word(Verdict verdict) {
  constexpr std::string_view kNames[] = {"slower", "faster", "same", "unsure", "wrong"};
  return std::string(kNames[static_cast<std::size_t>(verdict)]);
}

std::string files_table(const std::vector<HistoryFile>& files) {
  const std::vector<std::string> names = short_names(files);
  const bool has_nccl = std::any_of(files.begin(), files.end(),
                                    [](const HistoryFile& file) { return !file.nccl.empty(); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const HistoryFile& file = files[i];
    rows.push_back({names[i], file.date, file.host, file.cpu, file.mpi, file.commit,
                    fmt::to_string(file.times)});
    if (has_nccl) rows.back().insert(rows.back().begin() + 5, file.nccl);
  }
  std::vector<std::string> header{"file", "date", "host", "CPU", "MPI", "commit", "times"};
  if (has_nccl) header.insert(header.begin() + 5, "NCCL");
  return compact(header, rows);
}

Table table(const History& history) {
  const std::vector<std::string> names = short_names(history.files);
  const std::vector<const char*> settings = differing_settings(history);
  Table table;
  table.columns = {{"algorithm"}, {"ranks"}, {"size"}};
  for (const char* setting : settings) table.columns.push_back({setting, Detail::some});
  if (history.hosts > 1) table.columns.push_back({"host"});
  const Table::Column others[] = {{"files", Detail::some}, {"before"}, {"after"},
                                  {"after/before"},        {"since"},  {"date", Detail::some},
                                  {"p", Detail::some},     {"verdict"}};
  table.columns.insert(table.columns.end(), std::begin(others), std::end(others));
  for (const Trend& t : history.all) {
    std::vector<std::string> row = label_cells(t);
    for (const char* key : settings)
      row.push_back(t.record.is_null() ? "" : cell_text(t.record.value(key, Json())));
    if (history.hosts > 1) row.push_back(t.host);
    const bool changed = t.has_changed(), known = t.verdict != Verdict::unsure;
    row.insert(row.end(),
               {fmt::to_string(t.files.size()), show_time(t.before_us), show_time(t.after_us),
                fmt::format("{:.3f}", t.ratio()), changed ? names[t.since] : "",
                changed ? day_of(history.files[t.since].date) : "",
                known ? fmt::format("{:.2g}", t.p) : "", name(t.verdict)});
    table.rows.push_back(verdict_row(std::move(row), t.verdict));
  }
  return table;
}

Json change_of(const Json& configuration) {
  const auto value = [&](const char* key) {
    return configuration.is_null() ? Json(nullptr) : configuration.value(key, Json());
  };
  Json record{{"schema", kSchema}, {"kind", "change"}};
  for (const char* key : identity_keys()) record[key] = value(key);
  record["bytes"] = value("bytes");
  return record;
}

std::vector<Json> records_of(const History& history) {
  std::vector<Json> all;
  for (const Trend& t : history.all) {
    Json record = change_of(t.record);
    Json files = Json::array(), dates = Json::array();
    for (const std::size_t i : t.files) {
      files.push_back(history.files[i].path);
      dates.push_back(text_or_null(history.files[i].date));
    }
    const bool changed = t.has_changed(), known = t.verdict != Verdict::unsure;
    record["configurations"] = t.members;
    record["host"] = t.host;
    record["files"] = std::move(files);
    record["dates"] = std::move(dates);
    record["times_us"] = t.times_us;
    record["since"] = changed ? Json(history.files[t.since].path) : Json(nullptr);
    record["since_date"] = changed ? text_or_null(history.files[t.since].date) : Json(nullptr);
    record["before_us"] = t.before_us;
    record["after_us"] = t.after_us;
    record["ratio"] = t.ratio();
    record["p"] = known ? Json(t.p) : Json(nullptr);
    record["verdict"] = verdict_word(t.verdict);
    all.push_back(std::move(record));
  }
  return all;
}

}  // namespace arlab::bench
