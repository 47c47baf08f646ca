// The index of shards as JSON: every value is checked, because the file may be anyone's.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "training/checkpoint/shards.hpp"

namespace arlab::training {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 53;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  fail(Blame::usage,
       "the index of shards in " + source + " is wrong: " + why + ": use an earlier checkpoint");
}

void expect_keys(const Json& json, std::initializer_list<const char*> keys, const std::string& what,
                 const std::string& source) {
  if (!json.is_object()) refuse(source, what + " is not an object");
  for (const char* key : keys)
    if (!json.contains(key)) refuse(source, what + " has no '" + key + "'");
  if (json.size() != keys.size()) refuse(source, what + " has unknown keys");
}

std::uint64_t number(const Json& json, const std::string& what, std::uint64_t most,
                     const std::string& source) {
  const bool negative = json.is_number_integer() && !json.is_number_unsigned() && json < 0;
  if (!json.is_number_integer() || negative || json.get<std::uint64_t>() > most)
    refuse(source, what + " is not a whole number from 0 to " + std::to_string(most));
  return json.get<std::uint64_t>();
}

Count count(const Json& json, const std::string& what, const std::string& source) {
  return static_cast<Count>(number(json, what, kMost, source));
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

// Throws unless the ranges of all files are all elements, each once.
void expect_all_elements(const ShardIndex& index, const std::string& source) {
  std::vector<FlatRange> all;
  for (const ShardFile& file : index.files)
    all.insert(all.end(), file.ranges.begin(), file.ranges.end());
  std::sort(all.begin(), all.end(),
            [](const FlatRange& a, const FlatRange& b) { return a.begin < b.begin; });
  Count covered = 0;
  for (const FlatRange& r : all) {
    if (r.begin != covered)
      refuse(source, "element " + std::to_string(std::min(r.begin, covered)) + " is in " +
                         (r.begin < covered ? "two shards" : "no shard"));
    covered = r.end();
  }
  if (covered != index.elements)
    refuse(source, "its shards have " + std::to_string(covered) + " of " +
                       std::to_string(index.elements) + " elements");
}

}  // namespace

Json to_json(std::span<const FlatRange> ranges) {
  Json list = Json::array();
  for (const FlatRange& r : ranges) list.push_back({r.begin, r.elements});
  return list;
}

Json to_json(const ShardFile& file) {
  return {{"name", file.name},
          {"bytes", file.bytes},
          {"seal", file.seal},
          {"ranges", to_json(file.ranges)}};
}

Json to_json(const ShardIndex& index) {
  Json files = Json::array();
  for (const ShardFile& file : index.files) files.push_back(to_json(file));
  return {{"step", index.step},
          {"elements", index.elements},
          {"moments", index.moments},
          {"files", files}};
}

ShardFile parse_shard_file(const Json& json, const std::string& source) {
  expect_keys(json, {"name", "bytes", "seal", "ranges"}, "a file", source);
  ShardFile file;
  if (!json["name"].is_string()) refuse(source, "the name of a file is not a text");
  file.name = json["name"].get<std::string>();
  if (!is_plain_name(file.name)) refuse(source, "'" + file.name + "' is not a plain file name");
  file.bytes = number(json["bytes"], "'bytes' of " + file.name, kMost, source);
  file.seal = static_cast<std::uint32_t>(
      number(json["seal"], "'seal' of " + file.name, UINT32_MAX, source));
  if (!json["ranges"].is_array()) refuse(source, "'ranges' of " + file.name + " is not a list");
  Count end = 0;
  for (const Json& pair : json["ranges"]) {
    const std::string what = "a range of " + file.name;
    if (!pair.is_array() || pair.size() != 2) refuse(source, what + " is not a pair of numbers");
    const FlatRange range{count(pair[0], what, source), count(pair[1], what, source)};
    if (range.elements == 0 || range.begin < end)
      refuse(source, what + " is empty, or before the one that it follows");
    end = range.end();
    file.ranges.push_back(range);
  }
  return file;
}

ShardIndex parse_shard_index(const Json& json, const std::string& source) {
  expect_keys(json, {"step", "elements", "moments", "files"}, "it", source);
  ShardIndex index{.step = count(json["step"], "'step'", source),
                   .elements = count(json["elements"], "'elements'", source),
                   .moments = static_cast<Count>(number(json["moments"], "'moments'", 2, source)),
                   .files = {}};
  if (!json["files"].is_array()) refuse(source, "'files' is not a list");
  for (const Json& file : json["files"]) index.files.push_back(parse_shard_file(file, source));
  expect_all_elements(index, source);
  return index;
}

}  // namespace arlab::training
