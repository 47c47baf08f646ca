// The values of the options of a sweep, and its configurations.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/verify/has_root.hpp"
#include "bench/formats/python_file.hpp"
#include "bench/formats/schedule_file.hpp"
#include "bench/formats/weighted_record.hpp"
#include "bench/options/caller.hpp"
#include "bench/options/idle_nics.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rank_rates.hpp"
#include "bench/options/second_value.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/units.hpp"
#include "simulator/forest/forest.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kFile = "file:";  // before the path of a schedule
constexpr Count kMostConfigs = 1'000'000, kMostPlanned = 2'500'000;
constexpr int kMostSegments = 1 << 16;

std::vector<std::string> or_usual(const std::vector<std::string>& given, const char* usual) {
  return given.empty() ? std::vector<std::string>{usual} : given;
}

std::vector<std::int32_t> parse_numbers(const std::vector<std::string>& texts,
                                        std::string_view what, std::int32_t least,
                                        std::int32_t most) {
  std::vector<std::int32_t> all;
  for (const std::int64_t number : parse_counts(texts, what))
    all.push_back(checked_number(number, what, least, most));
  return all;
}

// A word that is not like any algorithm may have been meant as one more value of the option before
// it: "--network A B".
const Algorithm& named(const std::string& name, const std::vector<std::string>& command,
                       const CLI::App* app) {
  const auto names = names_of(arlab::algorithms());
  const bool known = std::find(names.begin(), names.end(), name) != names.end() ||
                     name.find(':') != std::string::npos;
  const auto at = std::find(command.begin(), command.end(), name);
  const bool after_value = app && at - command.begin() > 3 && at != command.end();
  if (known || !after_value || !nearest(name, names).empty()) return find_algorithm(name);
  const std::string advice = advice_on_second_value(*app, *(at - 2), name);
  if (advice.empty()) return find_algorithm(name);
  fail(Blame::usage, fmt::format("'{}' is not an algorithm (one of {}): {}", name,
                                 fmt::join(names, ", "), advice));
}

// The number of configurations, the product of these numbers of choices.
std::size_t checked_total(std::initializer_list<std::size_t> choices, Count most) {
  double total = 1;
  for (const std::size_t n : choices) total *= static_cast<double>(n);
  if (total > static_cast<double>(most))
    fail(Blame::usage, fmt::format("{:.3g} configurations are too many: take larger steps, at most "
                                   "{} configurations in one sweep",
                                   total, with_commas(most)));
  return static_cast<std::size_t>(total);
}

void check_segments(const std::vector<int>& all_segments, Collective task) {
  if ((task == Collective::reduce_scatter || task == Collective::all_gather) &&
      (all_segments.size() > 1 || all_segments.front() > 1))
    fail(Blame::usage, fmt::format("--segments {}: {} would end with several pieces per rank "
                                   "instead of one chunk: use 1 segment",
                                   all_segments.back(), name(task)));
}

void check_adds(Collective task) {
  if (task == Collective::broadcast || task == Collective::all_gather)
    fail_without_effect("--op", "a collective that adds, such as allreduce");
}

// The given layout of p ranks, and what the network says besides.
RankLayout completed(RankLayout given, const LayoutOf& network, Rank p, bool uses_trees) {
  const bool with_trees = !given.forest && uses_trees;
  const RankLayout found = network(p, with_trees);
  if (!given.forest) given.forest = found.forest;
  if (!given.groups) given.groups = found.groups;
  if (!given.grid) given.grid = found.grid;
  given.switches = found.switches;
  given.rates = found.rates;
  if (given.groups == found.groups) given.nics = found.nics;
  return given;
}

}  // namespace

std::vector<collectives::DType> SweepOptions::parsed_dtypes() const {
  std::vector<collectives::DType> all;
  for (const std::string& text : or_usual(dtypes, "float32")) {
    if (text == "all")
      for (const collectives::DType dtype : collectives::kDTypes) add_once(all, dtype);
    else
      add_once(all, find_named(collectives::kDTypes, text, "dtype"));
  }
  return all;
}

std::vector<collectives::Op> SweepOptions::parsed_ops() const {
  std::vector<collectives::Op> all;
  for (const std::string& text : or_usual(ops, "sum")) {
    if (text == "all")
      for (const collectives::Op op : collectives::kOps) add_once(all, op);
    else
      add_once(all, find_named(collectives::kOps, text, "op"));
  }
  return all;
}

bool SweepOptions::every_root() const {
  return std::find(roots.begin(), roots.end(), "all") != roots.end();
}

std::vector<Rank> SweepOptions::parsed_roots(Rank count) const {
  if (every_root()) {
    std::vector<Rank> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  return parse_numbers(or_usual(roots, "0"), "--root", 0, kMostRanks - 1);
}

std::vector<int> SweepOptions::parsed_segments() const {
  return parse_numbers(or_usual(segments, "1"), "--segments", 1, kMostSegments);
}

Collective SweepOptions::parsed_collective() const {
  return find_named(kCollectives, collective, "collective");
}

const Algorithm& SweepOptions::from_file(const std::string& name) const {
  std::shared_ptr<const Algorithm>& algorithm = files_[name];
  if (algorithm) return *algorithm;
  if (name.starts_with(kWeightedRecord)) {
    algorithm = weighted_by_record(name.substr(kWeightedRecord.size()));
    return *algorithm;
  }
  const std::string path = name.substr(kFile.size());
  if (is_python_file(path)) algorithm = python_algorithm(path);
  if (!algorithm) {
    auto script = std::make_shared<const Script>(read_schedule(path));
    algorithm = std::make_shared<const Algorithm>(algorithm_of(script));
    scripts_[name] = std::move(script);
  }
  return *algorithm;
}

const Script* SweepOptions::schedule_in(const std::string& name) const {
  if (!name.starts_with(kFile)) return nullptr;
  from_file(name);
  const auto found = scripts_.find(name);
  return found == scripts_.end() ? nullptr : found->second.get();
}

std::vector<std::string> SweepOptions::wanted_algorithms() const {
  std::vector<std::string> wanted = split_specs(algorithms);
  if (wanted.empty()) wanted = {"all"};
  return wanted;
}

std::vector<const Algorithm*> SweepOptions::chosen_algorithms() const {
  const std::vector<std::string> wanted = wanted_algorithms();
  const Collective task = parsed_collective();
  std::vector<const Algorithm*> chosen;
  const auto choose = [&](const Algorithm& a) {
    if (std::find(chosen.begin(), chosen.end(), &a) == chosen.end()) chosen.push_back(&a);
  };
  for (const std::string& name : wanted) {
    if (name.starts_with(kFile) || name.starts_with(kWeightedRecord)) {
      choose(from_file(name));
      continue;
    }
    if (caller && caller->algorithms.contains(name)) {
      choose(*caller->algorithms.at(name));
      continue;
    }
    if (name != "all") {
      choose(named(name, command, app_));
      continue;
    }
    for (const Algorithm& a : arlab::algorithms())
      if (std::find(a.collectives.begin(), a.collectives.end(), task) != a.collectives.end())
        choose(a);
  }
  refuse_unused_layout(chosen);
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

std::vector<Count> SweepOptions::parsed_elements(collectives::DType dtype) const {
  if (!sizes.empty() && !elements.empty())
    fail(Blame::usage, "--elements and --size both set the length of the vector: give only one");
  if (sizes.empty()) return parse_counts(elements, "--elements");
  const auto element = static_cast<Count>(collectives::size_of(dtype));
  std::vector<Count> all;
  for (const std::int64_t bytes : parse_counts(sizes, "--size")) {
    if (bytes < 0) fail(Blame::usage, fmt::format("--size is {}: give 0 or more bytes", bytes));
    if (bytes % element != 0)
      fail(Blame::usage, fmt::format("--size {} is not a whole number of {}-byte elements ({}): "
                                     "use a multiple of {}, or -n",
                                     bytes, element, name(dtype), element));
    all.push_back(bytes / element);
  }
  return all;
}

bool SweepOptions::left_out(const Algorithm& algorithm, const Problem& problem) const {
  if (own_ranks_ && !unsupported(algorithm, problem).empty()) return true;
  const bool unsuited =
      (algorithm.grouped && !problem.groups) || (algorithm.gridded && !problem.grid) ||
      (algorithm.forested && !problem.forest) ||
      ((algorithm.few_ranks || algorithm.in_network) && !unsupported(algorithm, problem).empty());
  return unsuited && !is_named(algorithm);
}

bool SweepOptions::is_named(const Algorithm& algorithm) const {
  return std::ranges::any_of(split_specs(algorithms), [&](const std::string& spec) {
    return spec == algorithm.name || spec.substr(0, spec.find(':')) == algorithm.name;
  });
}

std::shared_ptr<const Forest> forest_of(const simulator::Topology& topology,
                                        std::span<const Rank> host_of, const std::string& name) {
  constexpr std::size_t kMaxRanks = 128;  // more take minutes
  if (host_of.size() > kMaxRanks) return nullptr;
  auto forest = std::make_shared<Forest>(simulator::synthesize(topology, host_of).forest);
  forest->name_network(name);
  return forest;
}

RankLayout SweepOptions::given_layout(Rank p) const {
  RankLayout layout;
  constexpr Rank kMostGrouped = 1 << 24;  // groups are lists of ranks
  if (group_size != 0 && p > kMostGrouped)
    fail(Blame::usage,
         fmt::format("ranks is {}: with --layout groups give at most {}", p, kMostGrouped));
  if (group_size != 0)
    layout.groups = std::make_shared<const Groups>(Groups::consecutive(p, group_size));
  if (!dims.empty())
    layout.grid = std::make_shared<const RankGrid>(parse_sizes(dims, "--layout dims"));
  if (!trees.empty()) {
    const TopologyOptions network = topology_options(trees);
    const simulator::Topology made = network.open(p);
    layout.forest = forest_of(made, network.hosts_of(made, p), trees);
  }
  return layout;
}

void SweepOptions::refuse_unused_layout(std::span<const Algorithm* const> chosen) const {
  const struct {
    const char* option;
    bool given;
    bool Algorithm::*used;
    const char* needs;
  } layouts[] = {
      {"--layout groups", group_size != 0, &Algorithm::grouped, "algorithm hierarchical"},
      {"--layout dims", !dims.empty(), &Algorithm::gridded, "algorithm torus_bucket"},
      {"--layout trees", !trees.empty(), &Algorithm::forested, "algorithm forest"}};
  for (const auto& [option, given, used, needs] : layouts)
    if (given && std::ranges::none_of(chosen, [&](const Algorithm* a) { return a->*used; }))
      fail_without_effect(option, needs);
}

std::vector<Config> SweepOptions::configs(std::span<const LayoutOf> networks) const {
  const auto chosen = chosen_algorithms();
  const Collective task = parsed_collective();
  const std::vector<Rank> all_ranks = parsed_ranks();
  std::vector<Rank> all_roots = parsed_roots(std::ranges::max(all_ranks));
  const std::vector<int> all_segments = parsed_segments();
  const auto all_dtypes = parsed_dtypes();
  const auto all_ops = parsed_ops();
  std::vector<std::vector<Count>> elements_of;  // by type
  for (const collectives::DType dtype : all_dtypes) elements_of.push_back(parsed_elements(dtype));
  const std::size_t choices = std::max<std::size_t>(1, networks.size());
  const std::size_t total =
      checked_total({all_ranks.size(), all_dtypes.size(), all_ops.size(), all_roots.size(), choices,
                     all_segments.size(), chosen.size(), elements_of.front().size()},
                    plan ? kMostPlanned : kMostConfigs);
  check_segments(all_segments, task);
  if (!ops.empty()) check_adds(task);
  std::vector<Config> all;
  all.reserve(total);
  const bool uses_trees =
      std::any_of(chosen.begin(), chosen.end(), [](const Algorithm* a) { return a->forested; });
  std::vector<RankLayout> layouts(choices);
  std::vector<std::vector<const Algorithm*>> chosen_on(choices, chosen);
  const bool wants_all = std::ranges::count(wanted_algorithms(), "all") > 0;
  const auto add = [&](const Problem& problem, collectives::Operand operand) {
    for (std::size_t i = 0; i < choices; ++i)
      for (const int pieces : all_segments)
        for (const Algorithm* algorithm : chosen_on[i]) {
          Config config{algorithm, layouts[i].on(problem), operand, pieces, i, layouts[i]};
          if (any_switches && is_named(*algorithm)) config.problem.switches = kAnySwitches;
          if (segments.empty())
            config.segments = arlab::usual_segments(*algorithm, config.problem, compares_on_links);
          check(config.problem);
          if (every_root() && problem.root > 0 && !has_root(*algorithm, config.problem)) continue;
          if (!left_out(*algorithm, config.problem)) all.push_back(std::move(config));
        }
  };
  for (const Rank p : all_ranks) {
    if (every_root()) all_roots = parsed_roots(p);
    const RankLayout given = given_layout(p);
    for (std::size_t i = 0; i < choices; ++i) {
      layouts[i] = networks.empty() ? given : completed(given, networks[i], p, uses_trees);
      chosen_on[i] = wants_all ? and_with_all_nics(chosen, layouts[i], task) : chosen;
      chosen_on[i] = with_rates(chosen_on[i], layouts[i]);
    }
    for (std::size_t t = 0; t < all_dtypes.size(); ++t)
      for (const collectives::Op op : all_ops)
        for (const Rank root : all_roots)
          for (const Count n : elements_of[t]) {
            const Problem problem{task, p, n, root};
            check(problem);
            add(problem, {all_dtypes[t], op});
          }
  }
  return all;
}

}  // namespace arlab::bench
