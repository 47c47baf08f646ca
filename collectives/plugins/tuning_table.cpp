#include "collectives/plugins/tuning_table.hpp"

#include <nlohmann/json.hpp>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {
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
         concat("tuning table ", path_, ": ", where, where.empty() ? "" : ": ", what));
  }
  const Json& member(const Json& object, const char* key, const std::string& where) const {
    if (!object.is_object() || !object.contains(key))
      wrong(where, concat("has no key \"", key, "\": write it with `arlab tune --table`"));
    return object[key];
  }
  const Json& list(const Json& object, const char* key, const std::string& where) const {
    const Json& found = member(object, key, where);
    if (!found.is_array() || found.empty())
      wrong(where, concat("\"", key, "\" is not a list with entries"));
    return found;
  }

  // Reads [first, last], which must follow `next`; moves `next` on.
  template <class Range>
  void read_range(const Json& json, const char* key, Count& next, Range& range,
                  const std::string& where) const {
    const Json& pair = list(json, key, where);
    const bool whole = pair.size() == 2 && pair[0].is_number_integer() &&
                       (pair[1].is_number_integer() || pair[1].is_null());
    if (!whole) wrong(where, concat("\"", key, "\" is not [first, last] or [first, null]"));
    range.first = pair[0].get<Count>();
    range.last = pair[1].is_null() ? TuningTable::kNoEnd : pair[1].get<Count>();
    if (range.first != next)
      wrong(where, concat("\"", key, "\" begins at ", range.first, ", but ",
                          next == TuningTable::kNoEnd ? "nothing" : std::to_string(next),
                          " comes next: ranges must neither leave a gap nor overlap"));
    if (range.last < range.first)
      wrong(where, concat("\"", key, "\" ends at ", range.last, ", before it begins"));
    next = range.last == TuningTable::kNoEnd ? range.last : range.last + 1;
  }
  void expect_end(Count next, const char* key, const std::string& where) const {
    if (next != TuningTable::kNoEnd)
      wrong(where, concat("\"", key, "\" ends at ", next - 1, ": end the last range with null"));
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
      sizes += concat(sizes.empty() ? "" : ",", "\n      ", json.dump());
    }
    rows += concat(rows.empty() ? "" : ",",
                   "\n    {\"ranks\": ", range_json(row.first, row.last).dump(), ", \"sizes\": [",
                   sizes, "]}");
  }
  return concat("{\"schema\": ", kTableSchema, ", \"kind\": \"tuning_table\", \"collective\": \"",
                name(table.collective), "\",\n  \"made_by\": ", Json(table.made_by).dump(),
                ",\n  \"rows\": [", rows, "]}\n");
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
    const std::string where = concat("row ", table.rows.size());
    read.read_range(row_json, "ranks", next_rank, row, where);
    Count next_byte = 0;
    for (const Json& sizes_json : read.list(row_json, "sizes", where)) {
      TuningTable::Sizes& sizes = row.sizes.emplace_back();
      const std::string here = concat(where, ", size ", row.sizes.size());
      read.read_range(sizes_json, "bytes", next_byte, sizes, here);
      sizes.choice = read.read_choice(sizes_json, here);
    }
    read.expect_end(next_byte, "bytes", where);
  }
  read.expect_end(next_rank, "ranks", "");
  return table;
}

}  // namespace arlab::collectives
