#include "bench/tune/tuning_table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "bench/cli/read_file.hpp"

namespace arlab::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kTableSchema = 1;

Json range_json(Count first, Count last) {
  return Json::array({first, last == TuningTable::kNoEnd ? Json(nullptr) : Json(last)});
}

class TableReader {
 public:
  explicit TableReader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void wrong(const std::string& where, const std::string& what) const {
    fail(Blame::usage,
         fmt::format("tuning table {}: {}{}{}", path_, where, where.empty() ? "" : ": ", what));
  }
  const Json& member(const Json& object, const char* key, const std::string& where) const {
    if (!object.is_object() || !object.contains(key))
      wrong(where, fmt::format("has no key \"{}\": write it with `arlab tune --table`", key));
    return object[key];
  }
  const Json& list(const Json& object, const char* key, const std::string& where) const {
    const Json& found = member(object, key, where);
    if (!found.is_array() || found.empty())
      wrong(where, fmt::format("\"{}\" is not a list with entries", key));
    return found;
  }

  // Reads [first, last], which must follow `next`; moves `next` on.
  template <class Range>
  void read_range(const Json& json, const char* key, Count& next, Range& range,
                  const std::string& where) const {
    const Json& pair = list(json, key, where);
    const bool whole = pair.size() == 2 && pair[0].is_number_integer() &&
                       (pair[1].is_number_integer() || pair[1].is_null());
    if (!whole) wrong(where, fmt::format("\"{}\" is not [first, last] or [first, null]", key));
    range.first = pair[0].get<Count>();
    range.last = pair[1].is_null() ? TuningTable::kNoEnd : pair[1].get<Count>();
    if (range.first != next)
      wrong(where,
            fmt::format("\"{}\" begins at {}, but {} comes next: ranges must neither leave a "
                        "gap nor overlap",
                        key, range.first,
                        next == TuningTable::kNoEnd ? "nothing" : fmt::to_string(next)));
    if (range.last < range.first)
      wrong(where, fmt::format("\"{}\" ends at {}, before it begins", key, range.last));
    next = range.last == TuningTable::kNoEnd ? range.last : range.last + 1;
  }
  void expect_end(Count next, const char* key, const std::string& where) const {
    if (next != TuningTable::kNoEnd)
      wrong(where, fmt::format("\"{}\" ends at {}: end the last range with null", key, next - 1));
  }

  TunedChoice read_choice(const Json& json, const std::string& where) const {
    TunedChoice choice;
    const Json& name = member(json, "algorithm", where);
    if (!name.is_string()) wrong(where, "\"algorithm\" is not a name");
    choice.algorithm = name.get<std::string>();
    const bool of_library =
        choice.algorithm == "native" ||
        (choice.algorithm.starts_with("native:") && choice.algorithm.size() > 7);
    try {
      if (!of_library) find_algorithm(choice.algorithm);
    } catch (const Error& error) {
      wrong(where, error.what());
    }
    const Json& segments = member(json, "segments", where);
    if (!segments.is_number_integer() || segments < 1 || segments > 65536)
      wrong(where, "\"segments\" is not a number from 1 to 65536");
    choice.segments = segments.get<int>();
    return choice;
  }

 private:
  std::string path_;
};

}  // namespace

const TunedChoice& TuningTable::choice(Rank ranks, Bytes bytes) const {
  for (const Row& row : rows)
    if (row.first <= ranks && ranks <= row.last)
      for (const Sizes& sizes : row.sizes)
        if (sizes.first <= bytes && bytes <= sizes.last) return sizes.choice;
  fail(Blame::check, "internal error, please report: a tuning table with a gap");
}

std::string to_text(const TuningTable& table) {
  std::string rows;
  for (const TuningTable::Row& row : table.rows) {
    std::string sizes;
    for (const TuningTable::Sizes& s : row.sizes) {
      const Json json{{"bytes", range_json(s.first, s.last)},
                      {"algorithm", s.choice.algorithm},
                      {"segments", s.choice.segments}};
      sizes += fmt::format("{}\n      {}", sizes.empty() ? "" : ",", json.dump());
    }
    rows += fmt::format("{}\n    {{\"ranks\": {}, \"sizes\": [{}]}}", rows.empty() ? "" : ",",
                        range_json(row.first, row.last).dump(), sizes);
  }
  return fmt::format(
      "{{\"schema\": {}, \"kind\": \"tuning_table\", \"collective\": \"allreduce\",\n  "
      "\"made_by\": "
      "{},\n  \"rows\": [{}]}}\n",
      kTableSchema, Json(table.made_by).dump(), rows);
}

TuningTable parse_tuning_table(const std::string& text, const std::string& path) {
  const TableReader read(path);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) read.wrong("", "is not JSON: write it with `arlab tune --table`");
  if (read.member(json, "kind", "") != "tuning_table" ||
      read.member(json, "schema", "") != kTableSchema)
    read.wrong("", "is not a tuning table of schema 1: write it with `arlab tune --table`");
  if (read.member(json, "collective", "") != "allreduce")
    read.wrong("", "\"collective\" is not allreduce");
  TuningTable table;
  if (json.contains("made_by") && json["made_by"].is_string())
    table.made_by = json["made_by"].get<std::string>();
  Count next_rank = 1;
  for (const Json& row_json : read.list(json, "rows", "")) {
    TuningTable::Row& row = table.rows.emplace_back();
    const std::string where = fmt::format("row {}", table.rows.size());
    read.read_range(row_json, "ranks", next_rank, row, where);
    Count next_byte = 0;
    for (const Json& sizes_json : read.list(row_json, "sizes", where)) {
      TuningTable::Sizes& sizes = row.sizes.emplace_back();
      const std::string here = fmt::format("{}, size {}", where, row.sizes.size());
      read.read_range(sizes_json, "bytes", next_byte, sizes, here);
      sizes.choice = read.read_choice(sizes_json, here);
    }
    read.expect_end(next_byte, "bytes", where);
  }
  read.expect_end(next_rank, "ranks", "");
  return table;
}

TuningTable read_tuning_table(const std::string& path) {
  return parse_tuning_table(read_file(path, "give a table that `arlab tune --table` wrote"), path);
}

}  // namespace arlab::bench
