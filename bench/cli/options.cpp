#include "bench/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/cli/schedule_file.hpp"
#include "bench/cli/topology_options.hpp"
#include "bench/cli/units.hpp"

namespace arlab::bench {
namespace {

template <class Named, std::size_t N, class Parse>
Named parse_name(const std::string& text, const Named (&all)[N], std::string_view what,
                 Parse parse) {
  if (const auto found = parse(text)) return *found;
  std::vector<std::string_view> names;
  for (const Named one : all) names.push_back(name(one));
  fail_unknown(what, text, names);
}

constexpr Count kMostConfigs = 1'000'000;

// An option that takes one list separated by commas, and may be given again.
CLI::Option* as_list(CLI::Option* option) {
  return option->delimiter(',')->expected(1)->allow_extra_args(false)->take_all();
}

constexpr std::string_view kFile = "file:";  // before the path of a schedule
constexpr Rank kMostRanks = Rank{1} << 30;
constexpr int kMostSegments = 1 << 16;

// An option that takes one whole number.
void add_number(CLI::App& app, const std::string& names, std::int32_t& value, std::int32_t least,
                std::int32_t most, const std::string& help) {
  const std::string what = names.substr(0, names.find(','));
  const auto parse = [&value, what, least, most](const std::string& text) {
    const std::int64_t number = parse_count(text, what);
    if (number < least || number > most)
      fail(Blame::usage, fmt::format("{} is {}: give {} to {}", what, number, least, most));
    value = static_cast<std::int32_t>(number);
  };
  app.add_option_function<std::string>(names, parse, help)->type_name("NUMBER");
}

}  // namespace

void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& group) {
  app.add_option_function<std::string>(
         "--seed",
         [&seed](const std::string& text) {
           const std::int64_t number = parse_count(text, "--seed");
           if (number < 0)
             fail(Blame::usage, fmt::format("--seed is {}: give a number of 0 or more", number));
           seed = static_cast<std::uint64_t>(number);
         },
         "Of ecmp, valiant and random placement (default 0)")
      ->type_name("COUNT")
      ->group(group);
}

void SweepOptions::add_names(CLI::App& app) {
  app.add_option("algorithms", positional, "Algorithms, or all (default)")->type_name("");
  app.add_option("-a,--algorithm", algorithms,
                 "The same, as an option: ring,recursive_multiplying:k=4")
      ->type_name("NAMES")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("-c,--collective", collective,
                 "allreduce (default), reduce_scatter, all_gather, reduce or broadcast")
      ->type_name("NAME");
  add_number(app, "--root,--master", root, 0, kMostRanks - 1,
             "Root of a tree, master of master_worker, source of a broadcast (default 0)");
}

void SweepOptions::add_ranks(CLI::App& app, const std::string& help) {
  as_list(app.add_option("-p,--ranks", ranks, help))->type_name("COUNTS");
  add_number(app, "--groups", group_size, 1, kMostRanks,
             "Consecutive ranks per node, for algorithms that use nodes");
  app.add_option("--dims", dims, "The ranks as a torus, for algorithms that use one: 16x16")
      ->type_name("SIZES");
}

void SweepOptions::add_axes(CLI::App& app, bool with_type) {
  add_names(app);
  add_ranks(app, "Ranks: 8, 2,4,8, 2..1024 (doubling) or 1..64+1 (steps of one)");
  as_list(app.add_option("-n,--elements", elements, "Elements of the vector: 1000, 1K..1M, ..."))
      ->type_name("COUNTS");
  as_list(app.add_option("-s,--size", sizes,
                         "Bytes of the vector, instead of -n: 1M, 1K..64M, 1K..64M*4"))
      ->type_name("BYTES");
  add_number(app, "--segments", segments, 1, kMostSegments,
             "Pipeline: cut the vector into this many pieces that travel concurrently (default 1)");
  if (!with_type) return;
  app.add_option("-t,--dtype", dtype,
                 "float32 (default), float64, float16, bfloat16, int32 or int64")
      ->type_name("NAME");
  app.add_option("--op", op, "sum (default), prod, min, max or avg")->type_name("NAME");
}

void SweepOptions::add_outputs(CLI::App& app) {
  app.add_option("--json", json,
                 "Write records as JSON Lines to this file as they come; - is stdout")
      ->type_name("FILE");
  app.add_option("--csv", csv, "Write records as comma-separated values to this file; - is stdout")
      ->type_name("FILE");
  app.add_flag("--resume", resume, "Continue the --json file: skip configurations that it holds");
  app.add_flag("--plan", plan,
               "Print the configurations and what they would take, without running them");
  app.add_option_function<std::string>(
         "--max-messages",
         [this](const std::string& text) {
           max_messages = static_cast<double>(parse_count(text, "--max-messages"));
         },
         "Skip configurations of more messages, with an estimate (default 1e9)")
      ->type_name("COUNT");
  app.add_option_function<std::string>(
         "--max-seconds",
         [this](const std::string& text) {
           max_seconds = static_cast<double>(parse_count(text, "--max-seconds"));
         },
         "Skip configurations that are estimated to take longer (default 3600)")
      ->type_name("COUNT");
}

collectives::Operand SweepOptions::operand() const {
  return {parse_name(dtype, collectives::kDTypes, "dtype", collectives::dtype_named),
          parse_name(op, collectives::kOps, "op", collectives::op_named)};
}

Collective SweepOptions::parsed_collective() const {
  return parse_name(collective, kCollectives, "collective", collective_named);
}

const Algorithm& SweepOptions::from_file(const std::string& path) const {
  std::shared_ptr<const Algorithm>& algorithm = files_[path];
  if (!algorithm) {
    auto script = std::make_shared<const Script>(read_schedule(path));
    algorithm = std::make_shared<const Algorithm>(algorithm_of(std::move(script)));
  }
  return *algorithm;
}

std::vector<const Algorithm*> SweepOptions::chosen_algorithms() const {
  std::vector<std::string> wanted = split_specs(positional);
  for (std::string& spec : split_specs(algorithms)) wanted.push_back(std::move(spec));
  if (wanted.empty()) wanted = {"all"};
  const Collective task = parsed_collective();
  std::vector<const Algorithm*> chosen;
  const auto choose = [&](const Algorithm& a) {
    if (std::find(chosen.begin(), chosen.end(), &a) == chosen.end()) chosen.push_back(&a);
  };
  for (const std::string& name : wanted) {
    if (name.starts_with(kFile)) {
      choose(from_file(name.substr(kFile.size())));
      continue;
    }
    if (name != "all") {
      choose(find_algorithm(name));
      continue;
    }
    for (const Algorithm& a : arlab::algorithms())
      if (std::find(a.collectives.begin(), a.collectives.end(), task) != a.collectives.end())
        choose(a);
  }
  return chosen;
}

std::vector<Rank> SweepOptions::parsed_ranks() const {
  std::vector<Rank> all;
  for (const std::int64_t p : parse_counts(ranks, "--ranks")) {
    if (p < 1 || p > kMostRanks)
      fail(Blame::usage, fmt::format("ranks is {}: give 1 to {}, for example -p 4", p, kMostRanks));
    all.push_back(static_cast<Rank>(p));
  }
  return all;
}

std::vector<Count> SweepOptions::parsed_elements() const {
  if (!sizes.empty() && !elements.empty())
    fail(Blame::usage, "--elements and --size both set the length of the vector: give only one");
  if (sizes.empty()) return parse_counts(elements, "--elements");
  const auto element = static_cast<Count>(collectives::size_of(operand().dtype));
  std::vector<Count> all;
  for (const std::int64_t bytes : parse_counts(sizes, "--size")) {
    if (bytes % element != 0)
      fail(Blame::usage, fmt::format("--size {} is not a whole number of {}-byte elements ({}): "
                                     "use a multiple of {}, or -n",
                                     bytes, element, dtype, element));
    all.push_back(bytes / element);
  }
  return all;
}

bool SweepOptions::left_out(const Algorithm& algorithm, const Problem& problem) const {
  const auto names = [&](const std::vector<std::string>& wanted) {
    return std::find(wanted.begin(), wanted.end(), algorithm.name) != wanted.end();
  };
  if (names(split_specs(positional)) || names(split_specs(algorithms))) return false;
  return (algorithm.grouped && !problem.groups) || (algorithm.gridded && !problem.grid) ||
         (algorithm.few_ranks && !unsupported(algorithm, problem).empty());
}

RankLayout SweepOptions::given_layout(Rank p) const {
  RankLayout layout;
  if (group_size != 0)
    layout.groups = std::make_shared<const Groups>(Groups::consecutive(p, group_size));
  if (!dims.empty())
    layout.grid = std::make_shared<const RankGrid>(parse_sizes(dims, "--dims"));
  return layout;
}

std::vector<Config> SweepOptions::configs(std::span<const LayoutOf> networks) const {
  const auto chosen = chosen_algorithms();
  const collectives::Operand type = operand();
  const std::vector<Rank> all_ranks = parsed_ranks();
  const std::vector<Count> all_elements = parsed_elements();
  const std::size_t choices = std::max<std::size_t>(1, networks.size());
  const auto total = static_cast<double>(all_ranks.size()) *
                     static_cast<double>(all_elements.size()) * static_cast<double>(chosen.size()) *
                     static_cast<double>(choices);
  if (total > kMostConfigs)
    fail(Blame::usage, fmt::format("{:.3g} configurations are too many: take larger steps, at most "
                                   "{} configurations in one sweep",
                                   total, show_count(kMostConfigs)));
  std::vector<Config> all;
  for (const Rank p : all_ranks) {
    const RankLayout given = given_layout(p);
    std::vector<RankLayout> layouts(choices, given);
    for (std::size_t i = 0; i < networks.size(); ++i) {
      const RankLayout found = networks[i](p);
      if (!given.groups) layouts[i].groups = found.groups;
      if (!given.grid) layouts[i].grid = found.grid;
    }
    for (const Count n : all_elements)
      for (std::size_t i = 0; i < choices; ++i)
        for (const Algorithm* algorithm : chosen) {
          Config config{algorithm, {parsed_collective(), p, n, root}, type, segments, i, layouts[i]};
          config.problem.groups = layouts[i].groups.get();
          config.problem.grid = layouts[i].grid.get();
          check(config.problem);
          if (!left_out(*algorithm, config.problem)) all.push_back(std::move(config));
        }
  }
  return all;
}

}  // namespace arlab::bench
