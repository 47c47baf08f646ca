#include "bench/study/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bench/results/record_table.hpp"
#include "bench/study/answer_parts.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

// What contenders share, besides the size.
constexpr std::string_view kShared[] = {
    "context", "collective", "ranks",   "dtype",    "op",    "root",
    "groups",  "dims",       "backend", "topology", "model", "machine",
    "place",   "mode",       "repeats", "cache",    "start", "disturbance"};

std::string said_of(const std::string& key, const Json& record) {
  const Json value = record.value(key, Json());
  if (key == "ranks") return show_plural(value.get<Count>(), "rank");
  if (value.is_null() || key == "context") return "";
  if (key == "root") return "root " + value.dump();
  if (key == "place") return value == "in" ? "in place" : "out of place";
  if (key == "cache" || key == "start") return fmt::format("{} {}", cell_text(value), key);
  return cell_text(value);
}

std::string setting_text(const std::vector<std::string>& varying, const Json& record) {
  std::vector<std::string> parts;
  for (const std::string& key : varying)
    if (std::string part = said_of(key, record); !part.empty()) parts.push_back(std::move(part));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::pair<std::string, AnswerRows>> settings_of(const AnswerRows& rows) {
  std::vector<std::pair<std::string, AnswerRows>> settings;
  if (rows.empty()) return settings;
  std::vector<std::string> varying = varying_keys(kShared, rows);
  // The number of ranks is always said; what machine runs it is in the context.
  if (std::find(varying.begin(), varying.end(), "ranks") == varying.end())
    varying.insert(varying.begin(), "ranks");
  std::map<std::string, std::size_t> places;
  for (const Json* const row : rows) {
    std::string key;
    for (const std::string_view shared : kShared) key += value_of_key(*row, shared).dump() + " ";
    const auto [at, added] = places.try_emplace(key, settings.size());
    if (added) settings.emplace_back(setting_text(varying, *row), AnswerRows{});
    settings[at->second].second.push_back(row);
  }
  return settings;
}

std::map<Count, AnswerRows> by_place(const AnswerRows& rows, const char* axis) {
  std::map<Count, AnswerRows> places;
  for (const Json* const row : rows) places[row->at(axis).get<Count>()].push_back(row);
  return places;
}

std::vector<std::string> answers(std::span<const Json> records) {
  std::map<std::string, AnswerRows> kinds;
  for (const Json& record : records) kinds[record.value("kind", std::string())].push_back(&record);
  Sentences all;
  for (const char* kind : {"verify", "count"})
    if (kinds.contains(kind)) add_check_answers(kinds[kind], kind, all);
  if (kinds.contains("simulate")) add_simulated_answers(kinds["simulate"], all);
  if (kinds.contains("run")) add_measured_answers(kinds["run"], all);
  return all;
}

}  // namespace arlab::bench
