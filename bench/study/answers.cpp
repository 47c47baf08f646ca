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
    "context", "collective", "ranks",   "dtype",    "op",         "root",    "groups",
    "dims",    "trees",      "backend", "topology", "model",      "machine", "place",
    "mode",    "repeats",    "cache",   "start",    "disturbance"};

std::string said_of(const std::string& key, const Json& record) {
  const Json value = record.value(key, Json());
  if (key == "ranks") return show_plural(value.get<Count>(), "rank");
  if (key == "disturbance" && value.is_null()) return "no disturbance";
  if (key == "groups")
    return value.is_null() ? "no groups" : show_plural(value.get<Count>(), "group");
  if (key == "dims") return value.is_null() ? "no dims" : "dims " + cell_text(value);
  if (key == "trees") return value.is_null() ? "no trees" : "trees of " + cell_text(value);
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

// Whether each value of `by` has one value of `key`: then whoever knows the first knows the second.
bool follows_from(std::string_view key, std::string_view by, const AnswerRows& rows) {
  std::map<std::string, const Json*> seen;
  for (const Json* const row : rows) {
    const Json& value = member(*row, key);
    if (*seen.try_emplace(member(*row, by).dump(), &value).first->second != value) return false;
  }
  return true;
}

// Which of the shared keys a text names: those that vary, and the number of ranks if it is asked
// for. What machine runs it is in the context.
std::vector<std::string> named_keys(const AnswerRows& rows, NameRanks name_ranks) {
  std::vector<std::string> varying = varying_keys(kShared, rows);
  const auto varies = [&](std::string_view key) {
    return std::find(varying.begin(), varying.end(), key) != varying.end();
  };
  // A network says what groups and dimensions it has.
  if (varies("topology"))
    for (const char* const key : {"groups", "dims", "model", "machine"})
      if (follows_from(key, "topology", rows)) std::erase(varying, key);
  if (name_ranks == NameRanks::always && !varies("ranks")) varying.insert(varying.begin(), "ranks");
  return varying;
}

}  // namespace

std::vector<std::pair<std::string, AnswerRows>> settings_of(const AnswerRows& rows,
                                                            NameRanks name_ranks) {
  std::vector<std::pair<std::string, AnswerRows>> settings;
  if (rows.empty()) return settings;
  const std::vector<std::string> varying = named_keys(rows, name_ranks);
  std::map<std::string, std::size_t> places;
  for (const Json* const row : rows) {
    std::string key;
    for (const std::string_view shared : kShared) key += member(*row, shared).dump() + " ";
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
