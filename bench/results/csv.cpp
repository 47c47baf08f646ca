#include "bench/results/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "algorithms/base/printable.hpp"
#include "algorithms/base/read_number.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

using Cell = std::pair<std::string, Json>;

// Nested keys that may be null as a whole: all records of a kind have the same columns.
const Json& nested_keys() {
  static const Json kKeys{
      {"claimed", {{"messages", nullptr}, {"elements_sent", nullptr}, {"rounds", nullptr}}},
      {"time_us",
       {{"n", nullptr},
        {"median", nullptr},
        {"ci95", {nullptr, nullptr}},
        {"min", nullptr},
        {"p99", nullptr}}},
      {"time_statistics_us",
       {{"mean", nullptr}, {"p50", nullptr}, {"p90", nullptr}, {"p99", nullptr}, {"max", nullptr}}},
      {"collective_us",
       {{"n", nullptr},
        {"median", nullptr},
        {"ci95", {nullptr, nullptr}},
        {"min", nullptr},
        {"p99", nullptr}}},
      {"waiting_us", {{"mean", nullptr}, {"max", nullptr}}},
      {"codec_ns_per_element", {{"encode", nullptr}, {"decode", nullptr}}}};
  return kKeys;
}

// Lists whose length varies are one cell: the names of links, or else the JSON text.
constexpr std::string_view kOneCell[] = {
    "most_utilized_links", "epochs", "staleness", "slowdown", "critical_path_us",
    "rank_times_us",       "files",  "dates",     "times_us", "refits"};

Json list_cell(const Json& list) {
  if (list.empty()) return nullptr;
  if (!list.is_array() || !list.front().is_object() || !list.front().contains("name"))
    return list.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string names;
  for (const Json& link : list)
    names += (names.empty() ? "" : " ") + link["name"].get<std::string>();
  return names;
}

void flatten(const Json& value, const std::string& key, std::vector<Cell>& out) {
  if (value.is_object()) {
    for (const auto& [name, part] : value.items()) flatten(part, key + "." + name, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], fmt::format("{}.{}", key, i), out);
  } else {
    out.emplace_back(key, value);
  }
}

std::vector<Cell> cells_of(const Json& record) {
  std::vector<Cell> cells;
  for (const auto& [key, value] : record.items()) {
    if (std::find(std::begin(kOneCell), std::end(kOneCell), key) != std::end(kOneCell))
      cells.emplace_back(key, list_cell(value));
    else if (value.is_null() && nested_keys().contains(key))
      flatten(nested_keys()[key], key, cells);
    else
      flatten(value, key, cells);
  }
  return cells;
}

bool is_number(std::string_view text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  return from_chars(text.data(), end, value).ptr == end;
}

// Text that a spreadsheet would compute gets an apostrophe, which makes it text there, too.
std::string inert(const std::string& text) {
  const bool computed = text.find_first_of("=+-@\t\r\n") == 0 && !is_number(text);
  return (computed ? "'" : "") + printable(text);
}

std::string quoted(const Json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? inert(value.get<std::string>()) : value.dump();
  if (text.find_first_of(",;\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::vector<std::string> csv_columns(const Json& record) {
  std::vector<std::string> columns;
  for (const auto& [key, value] : cells_of(record)) columns.push_back(key);
  return columns;
}

std::string csv_header(const std::vector<std::string>& columns) {
  return fmt::format("{}\n", fmt::join(columns, ","));
}

std::string csv_row(const Json& record, const std::vector<std::string>& columns) {
  std::map<std::string, Json> cells;
  for (auto& [key, value] : cells_of(record)) cells.emplace(key, std::move(value));
  std::string line;
  for (const std::string& column : columns) {
    if (&column != &columns.front()) line += ',';
    const auto found = cells.find(column);
    if (found != cells.end()) line += quoted(found->second);
  }
  return line + "\n";
}

CsvFile::CsvFile(std::string path) : path_(std::move(path)), file_(open_new(path_)) {}

void CsvFile::add(const Json& record) {
  std::string text;
  if (columns_.empty()) {
    columns_ = csv_columns(record);
    text = csv_header(columns_);
  }
  text += csv_row(record, columns_);
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0)
    cannot_write(path_);
}

}  // namespace arlab::bench
