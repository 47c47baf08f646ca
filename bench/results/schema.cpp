#include "bench/results/schema.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "bench/results/json_schema.hpp"

namespace arlab::bench {
namespace {

struct Rename {
  std::string_view to;
  double factor = 0;  // 0: the value stays as it is
};
using Renames = std::map<std::string_view, Rename>;

const Renames kOfAll = {{"algbw_gbps", {"algbw_gb_per_s"}},  // gbps held GB/s
                        {"busbw_gbps", {"busbw_gb_per_s"}},
                        {"copy_limit_gbps", {"copy_limit_gb_per_s"}},
                        {"hottest_links", {"most_utilized_links"}},
                        {"links_as_hot", {"equally_utilized_links"}},
                        {"busy_step_us", {"utilization_step_us"}},
                        {"of_copy_limit", {"copy_limit_fraction"}},
                        {"chosen", {"native_choice"}},
                        {"batch", {"batch_size"}},
                        {"speed", {"multiply_adds_per_s"}},
                        {"codec_ns", {"codec_ns_per_element"}},
                        {"bytes_per_step", {"bytes_per_rank_step"}},
                        {"images_per_second", {"images_per_s"}}};

const Renames kOfLinks = {{"share", {"utilization"}}, {"busy", {"utilization_by_step"}}};

const Renames kOfEpochs = {
    {"seconds", {"elapsed_us", 1e6}},         {"compute_seconds", {"compute_us", 1e6}},
    {"input_seconds", {"input_us", 1e6}},     {"communication_seconds", {"communication_us", 1e6}},
    {"exposed_seconds", {"exposed_us", 1e6}}, {"codec_seconds", {"codec_us", 1e6}},
    {"images_per_second", {"images_per_s"}}};

Json renamed(const Json& object, const Renames& renames) {
  if (!object.is_object()) return object;
  Json out = Json::object();
  for (const auto& [key, value] : object.items()) {
    const auto found = renames.find(key);
    if (found == renames.end())
      out[key] = value;
    else if (found->second.factor > 0 && value.is_number())
      out[std::string(found->second.to)] = value.get<double>() * found->second.factor;
    else
      out[std::string(found->second.to)] = value;
  }
  return out;
}

void rename_each(Json& line, const std::string& list, const Renames& renames) {
  if (!line.contains(list) || !line[list].is_array()) return;
  for (Json& one : line[list]) one = renamed(one, renames);
}

Json upgraded(Json line) {
  line = renamed(line, kOfAll);
  line["schema"] = kSchema;
  rename_each(line, "most_utilized_links", kOfLinks);
  rename_each(line, "epochs", kOfEpochs);
  return line;
}

// Runs were in place, alone, warm, and started by a barrier before they said so.
void add_run_keys(Json& line) {
  const auto add = [&](const char* key, Json value) {
    if (!line.contains(key)) line[key] = std::move(value);
  };
  add("place", "in");
  add("mode", "alone");
  add("repeats", 1);
  add("cache", "warm");
  add("start", "barrier");
  add("summary_over_ranks", "maximum");
  for (const char* key : {"binding", "time_statistics_us", "time_variation", "ci_coverage",
                          "collective_us", "waiting_us", "entry_skew_us", "exit_skew_us", "clock",
                          "clock_deviation_us", "late_starts", "rank_sum_p", "source"})
    add(key, nullptr);
}

// Keys that files of schema 2 written before they were added lack, or had by another name.
void add_later_keys(Json& line) {
  const auto add = [&](const char* key) {
    if (!line.contains(key)) line[key] = nullptr;
  };
  if (line["kind"] == "context") {
    if (const auto old = line.find("copy_limit_gbps"); old != line.end()) {  // of GPUs, for a time
      line["copy_limit_gb_per_s"] = *old;
      line.erase("copy_limit_gbps");
    }
    for (const char* key : {"governor", "environment", "launch"}) add(key);
    return;
  }
  add("dims");
  if (line["kind"] == "run") add_run_keys(line);
  if (line["kind"] == "train") {
    for (const char* key : {"gradients", "momentum", "learning_rate_schedule", "input_threads",
                            "input_us"})
      add(key);
    for (const auto& [key, value] : {std::pair<const char*, Json>{"warmup_steps", 0},
                                     {"weight_decay", 0},
                                     {"shuffle", true},
                                     {"drop_remainder", true}})
      if (!line.contains(key)) line[key] = value;
  }
  if (line["kind"] != "simulate") return;
  for (const char* key : {"engine", "bound_us", "optimum_fraction", "disturbance", "undisturbed_us",
                          "delay_us", "slowdown_per_delay", "critical_path_us", "rank_times_us"})
    add(key);
}

const JsonSchema& records() {
  static const JsonSchema kRecords(kRecordsSchema);
  return kRecords;
}

}  // namespace

std::string make_readable(Json& line) {
  constexpr const char* kRemedy = "correct or remove the line";
  if (!line.is_object() || !line.contains("kind") || !line["kind"].is_string())
    return fmt::format("not a record (a JSON object with a \"kind\"): {}", kRemedy);
  const Json schema = line.value("schema", Json());
  if (!schema.is_number_integer() || (schema != 1 && schema != kSchema))
    return fmt::format(
        "schema {}, but this program reads schemas 1 and {}: read the file with the arlab that "
        "wrote it, or write it again",
        schema.is_null() ? "missing" : short_text(schema), kSchema);
  if (line["kind"] == "schedule")
    return fmt::format("\"kind\" is \"schedule\", which is not a record: {}", kRemedy);
  const bool earlier = schema == 1;
  if (earlier) line = upgraded(std::move(line));
  add_later_keys(line);
  const std::string why = records().violation(line, {.missing = earlier, .unknown = true});
  return why.empty() ? "" : fmt::format("{}: {}", why, kRemedy);
}

}  // namespace arlab::bench
