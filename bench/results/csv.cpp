#include "bench/results/csv.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace arlab::bench {
namespace {

void flatten(const Json& value, const std::string& key,
             std::vector<std::pair<std::string, Json>>& out) {
  if (value.is_object()) {
    for (const auto& [name, part] : value.items())
      flatten(part, key.empty() ? name : key + "." + name, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], fmt::format("{}.{}", key, i), out);
  } else {
    out.emplace_back(key, value);
  }
}

// Nested keys are always there, so that every row has the same columns.
std::vector<std::pair<std::string, Json>> flat(Json record) {
  if (record["claimed"].is_null())
    record["claimed"] = {{"messages", nullptr}, {"elements_sent", nullptr}, {"rounds", nullptr}};
  if (record["time_us"].is_null())
    record["time_us"] = {{"n", nullptr},
                         {"median", nullptr},
                         {"ci95", {nullptr, nullptr}},
                         {"min", nullptr},
                         {"p99", nullptr}};
  if (record.contains("hottest_links")) {  // a cell: their names
    std::string names;
    for (const Json& link : record["hottest_links"])
      names += (names.empty() ? "" : " ") + link["name"].get<std::string>();
    record["hottest_links"] = names.empty() ? Json(nullptr) : Json(names);
  }
  std::vector<std::pair<std::string, Json>> cells;
  flatten(record, "", cells);
  return cells;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string csv_header(const Json& record) {
  std::string line;
  for (const auto& [key, value] : flat(record)) line += (line.empty() ? "" : ",") + key;
  return line + "\n";
}

std::string csv_row(const Json& record) {
  std::string line;
  bool first = true;
  for (const auto& [key, value] : flat(record)) {
    if (!first) line += ',';
    first = false;
    line += csv_cell(value);
  }
  return line + "\n";
}

}  // namespace arlab::bench
