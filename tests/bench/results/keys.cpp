// Keys of records: the schema and docs/reference/records.md name all of them, also those of GPUs.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "bench/results/context.hpp"
#include "bench/results/json_schema.hpp"
#include "bench/results/schema.hpp"
#include "bench/training/profiled/replay_report.hpp"
#include "bench/training/profiled/scale_row.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// The words in the code spans of a document.
std::set<std::string> words_in_code(const std::string& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::set<std::string> words;
  const std::regex code("`[^`]*`"), word("[a-z_0-9]+");
  for (std::sregex_iterator span(text.begin(), text.end(), code), end; span != end; ++span) {
    const std::string inside = span->str();
    for (std::sregex_iterator found(inside.begin(), inside.end(), word); found != end; ++found)
      words.insert(found->str());
  }
  return words;
}

void add_keys(const Json& schema, std::set<std::string>& keys) {
  if (const auto all = schema.find("properties"); all != schema.end())
    for (const auto& [key, value] : all->items()) {
      keys.insert(key);
      add_keys(value, keys);
    }
  if (const auto items = schema.find("items"); items != schema.end()) add_keys(*items, keys);
}

const DeviceContext kDevices{.gpus = "2 x Example GPU (80 GB)",
                             .links = "NVLink",
                             .copy_limit = 3500.5,
                             .cuda = "driver 13.0, runtime 13.0",
                             .nccl = "2.28.9"};

}  // namespace

TEST_CASE("the context of runs on GPUs is in the schema") {
  const JsonSchema schema(kRecordsSchema);
  const Json with_all = context({"arlab", "run"}, to_json(kDevices));
  CHECK(schema.violation(with_all) == "");
  CHECK(with_all["copy_limit_gb_per_s"] == 3500.5);
  CHECK(with_all["gpu_links"] == "NVLink");
  const Json without = context({"arlab", "run"}, to_json(DeviceContext{"x", "", 0, "", ""}));
  CHECK(schema.violation(without) == "");
  CHECK(without["nccl"].is_null());
}

TEST_CASE("a context with the key that GPUs had for a time is read as the one of the schema") {
  Json old = context({"arlab", "run"}, to_json(kDevices));
  old["copy_limit_gbps"] = old["copy_limit_gb_per_s"];
  old.erase("copy_limit_gb_per_s");
  REQUIRE(make_readable(old).empty());
  CHECK(old["copy_limit_gb_per_s"] == 3500.5);
  CHECK_FALSE(old.contains("copy_limit_gbps"));
}

TEST_CASE("plans and replays are in the schema") {
  const JsonSchema schema(kRecordsSchema);
  ScaleRow row{.model = "resnet50", .network = "10G", .strategy = "mirrored"};
  row.scheduler = "buckets";
  row.compressor = "int8";
  row.alternatives = {{"fp16", 0.25}};
  row.step = row.alone = row.computation = 1;
  CHECK(schema.violation(to_json(row)) == "");
  const training::ModelProfile profile{.name = "some", .device = "one", .batch = 4};
  bench::ReplayResult result;
  result.config.profile = &profile;
  result.config.backend = "threads";
  result.config.learning.strategy = "mirrored";
  result.route = "ring";
  result.step = result.rate = result.config.alone = 1;
  result.step_us = {1, 2};
  CHECK(schema.violation(to_json(result)) == "");
}

TEST_CASE("docs/reference/records.md names every key of the schema") {
  const std::set<std::string> documented = words_in_code(source_file("docs/reference/records.md"));
  std::set<std::string> keys;
  const Json whole = Json::parse(kRecordsSchema);
  for (const auto& [kind, schema] : whole["$defs"].items()) add_keys(schema, keys);
  REQUIRE(keys.size() > 100);
  for (const std::string& key : keys) {
    INFO("add a row with `" << key << "` to docs/reference/records.md");
    CHECK(documented.contains(key));
  }
}
