#include "bench/run/library_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/options/topology_options.hpp"
#include "collectives/baseline.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kNative = "native", kAuto = "auto", kTable = "table=", kAll = "all",
                           kGloo = "gloo";

// What follows the name and a colon; nullptr if `spec` has another name.
const char* after(const std::string& spec, std::string_view name) {
  if (!spec.starts_with(name)) return nullptr;
  if (spec.size() == name.size()) return "";
  return spec[name.size()] == ':' ? spec.c_str() + name.size() + 1 : nullptr;
}

bool is_of_gloo(const std::string& native) { return native.starts_with(collectives::kGlooPrefix); }

std::string table_path(const std::string& settings) {
  if (settings.starts_with(kTable) && settings.size() > kTable.size())
    return settings.substr(kTable.size());
  if (!settings.empty()) fail(Blame::usage, fmt::format("auto:{}: give auto:table=FILE", settings));
  fail(Blame::usage,
       "auto has no table: write auto:table=FILE (`arlab tune --table FILE` writes one)");
}

Config by_table(const TuningTable& table, Config config) {
  const Bytes bytes = config.bytes();
  const TunedChoice& choice = table.choice(config.problem.ranks, bytes);
  config.by_table = true;
  config.segments = choice.segments;
  if (const char* native = after(choice.algorithm, kNative)) {
    config.algorithm = nullptr;
    config.native = native;
    config.segments = 1;
  } else {
    config.algorithm = &find_algorithm(choice.algorithm);
  }
  return config;
}

}  // namespace

bool compete(const Config& one, const Config& other) {
  return one.problem.ranks == other.problem.ranks &&
         one.problem.elements == other.problem.elements && one.problem.root == other.problem.root &&
         one.operand.dtype == other.operand.dtype && one.operand.op == other.operand.op;
}

LibraryNames take_library_names(SweepOptions& sweep) {
  LibraryNames names;
  bool asked = false;
  std::vector<std::string> others;
  for (const std::string& spec : split_specs(sweep.algorithms)) {
    if (const char* native = after(spec, kNative)) {
      asked = true;
      if (*native != '\0') names.native.emplace_back(native);
    } else if (const char* gloo = after(spec, kGloo)) {
      asked = true;
      if (*gloo == '\0') fail(Blame::usage, "gloo: give gloo:all, or one, such as gloo:ring");
      names.other.push_back(spec);
    } else if (const char* settings = after(spec, kAuto)) {
      asked = true;
      names.tables.push_back(read_tuning_table(table_path(settings)));
    } else {
      others.push_back(spec);
    }
  }
  sweep.algorithms = std::move(others);
  if (!asked) return names;
  if (sweep.parsed_collective() != Collective::allreduce &&
      (!names.native.empty() || !names.other.empty() || !names.tables.empty()))
    fail(Blame::usage,
         fmt::format("--collective {}: only allreduce has algorithms of the library, and tables",
                     sweep.collective));
  names.alone = sweep.algorithms.empty();
  if (names.alone) sweep.algorithms = {"all"};  // with_library_rows() replaces them
  return names;
}

void refuse_other_library(const std::vector<std::string>& specs, std::string_view command) {
  for (const std::string& spec : split_specs(specs))
    if (after(spec, kGloo))
      fail(Blame::usage,
           fmt::format("{}: {} knows the algorithms of the MPI library only: leave it "
                       "out, or use `arlab run`",
                       spec, command));
}

std::vector<Config> with_library_rows(const std::vector<Config>& configs,
                                      const LibraryNames& names) {
  if (!names.any()) return configs;
  std::vector<Config> all;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (!names.alone) all.push_back(configs[i]);
    if (i + 1 < configs.size() && compete(configs[i], configs[i + 1])) continue;
    Config row = configs[i];
    for (const TuningTable& table : names.tables) all.push_back(by_table(table, row));
    row.algorithm = nullptr;
    row.segments = 1;
    for (const auto* const list : {&names.native, &names.other})
      for (const std::string& native : *list) {
        row.native = native;
        all.push_back(row);
      }
    row.native.clear();
    if (names.alone) all.push_back(row);
  }
  return all;
}

std::vector<Config> checked_library_rows(const std::vector<Config>& configs,
                                         collectives::Executor& executor) {
  const auto names_one = [](const Config& c) { return !c.algorithm && !c.native.empty(); };
  if (std::none_of(configs.begin(), configs.end(), names_one)) return configs;
  const auto known = [&](const std::string& native) {
    return executor.baseline_of(native).algorithms();
  };
  std::vector<Config> all;
  const auto add = [&](const Config& config) {
    const auto same = [&](const Config& other) {
      return !other.algorithm && other.native == config.native && other.mode == config.mode &&
             other.by_table == config.by_table;
    };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(config);
  };
  for (const Config& config : configs) {
    if (!names_one(config)) {
      all.push_back(config);
    } else if (config.native == kAll ||
               config.native == collectives::kGlooPrefix + std::string(kAll)) {
      for (const std::string& name : known(config.native)) {
        Config one = config;
        one.native = name;
        add(one);
      }
    } else {
      const std::string name = is_of_gloo(config.native)
                                   ? config.native
                                   : config.native.substr(0, config.native.find(':'));
      find_named(known(config.native), name, "algorithm of the library");  // or throws
      add(config);
    }
  }
  return all;
}

std::string library_refusal(const Config& config, collectives::Executor& executor) {
  if (config.algorithm || !config.problem.reduces()) return "";
  return executor.baseline_of(config.native).unsupported(config.native, config.operand);
}

std::string row_name(const Config& config, const std::string& native_name) {
  std::string name = config.algorithm            ? std::string(config.algorithm->name)
                     : config.native.empty()     ? native_name
                     : is_of_gloo(config.native) ? config.native
                                                 : fmt::format("{}:{}", native_name, config.native);
  return config.by_table ? "auto:" + name : name;
}

}  // namespace arlab::bench
