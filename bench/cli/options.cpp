#include "bench/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
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

constexpr Rank kMostRanks = Rank{1} << 30;
constexpr int kMostSegments = 1 << 16;

std::vector<std::string> or_usual(const std::vector<std::string>& given, const char* usual) {
  return given.empty() ? std::vector<std::string>{usual} : given;
}

template <class T>
void add_new(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::int32_t checked_number(std::int64_t number, std::string_view what, std::int32_t least,
                            std::int32_t most) {
  if (number < least || number > most)
    fail(Blame::usage, fmt::format("{} is {}: give {} to {}", what, number, least, most));
  return static_cast<std::int32_t>(number);
}

std::vector<std::int32_t> parse_numbers(const std::vector<std::string>& texts,
                                        std::string_view what, std::int32_t least,
                                        std::int32_t most) {
  std::vector<std::int32_t> all;
  std::set<std::int64_t> there;
  for (const std::int64_t number : parse_counts(texts, what))
    if (there.insert(number).second) all.push_back(checked_number(number, what, least, most));
  return all;
}

double limit(const std::string& text, std::string_view what) {
  const std::int64_t number = parse_count(text, what);
  if (number < 1)
    fail(Blame::usage, fmt::format("{} is {}: give at least 1, for example 1e9", what, number));
  return static_cast<double>(number);
}

// A word that is not like any algorithm may have been meant as one more value of the option before
// it: "--fault A B".
const Algorithm& named(const std::string& name, const std::vector<std::string>& command) {
  const auto names = names_of(arlab::algorithms());
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  const auto at = std::find(command.begin(), command.end(), name);
  const bool after_value = at - command.begin() > 3 && at != command.end() &&
                           (at - 2)->starts_with('-') && (at - 2)->find('=') == std::string::npos;
  if (known || !after_value || !nearest(name, names).empty()) return find_algorithm(name);
  fail(Blame::usage, fmt::format("'{}' is not an algorithm (one of {}): if it is another value of "
                                 "{}, write {} again before it",
                                 name, fmt::join(names, ", "), *(at - 2), *(at - 2)));
}

// An option that takes one whole number.
void add_number(CLI::App& app, const std::string& names, std::int32_t& value, std::int32_t least,
                std::int32_t most, const std::string& help) {
  const std::string what = names.substr(0, names.find(','));
  const auto parse = [&value, what, least, most](const std::string& text) {
    value = checked_number(parse_count(text, what), what, least, most);
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
  app.add_option("algorithms", positional, "Algorithms, or all (default)")
      ->type_name("")
      ->delimiter(',');
  as_list(app.add_option("-a,--algorithm", algorithms, "The same, as an option: ring,tree"))
      ->type_name("NAMES");
  app.add_option("-c,--collective", collective,
                 "allreduce (default), reduce_scatter, all_gather, reduce or broadcast")
      ->type_name("NAME");
  as_list(app.add_option(
              "--root,--master", roots,
              "Roots of a tree, masters of master_worker, sources of a broadcast (default 0)"))
      ->type_name("RANKS");
}

void SweepOptions::add_ranks(CLI::App& app, const std::string& help) {
  as_list(app.add_option("-p,--ranks", ranks, help))->type_name("COUNTS");
  add_number(app, "--groups", group_size, 1, kMostRanks,
             "Consecutive ranks per node, for algorithms that use nodes");
}

void SweepOptions::add_axes(CLI::App& app, bool with_type) {
  add_names(app);
  add_ranks(app, "Ranks: 8, 2,4,8, 2..1024 (doubling) or 1..64+1 (steps of one)");
  as_list(app.add_option("-n,--elements", elements, "Elements of the vector: 1000, 1K..1M, ..."))
      ->type_name("COUNTS");
  as_list(app.add_option("-s,--size", sizes,
                         "Bytes of the vector, instead of -n: 1M, 1K..64M, 1K..64Mx4"))
      ->type_name("BYTES");
  as_list(app.add_option("--segments", segments,
                         "Pipeline: cut the vector into this many pieces that travel "
                         "concurrently: 4, or 1,2,4 (default 1)"))
      ->type_name("COUNTS");
  if (!with_type) return;
  as_list(app.add_option("-t,--dtype", dtypes,
                         "float32 (default), float64, float16, bfloat16, int32 or int64; or "
                         "several"))
      ->type_name("NAMES");
  as_list(app.add_option("--op", ops, "sum (default), prod, min, max or avg; or several"))
      ->type_name("NAMES");
}

void SweepOptions::add_outputs(CLI::App& app) {
  app.add_option("--json", json,
                 "Write records as JSON Lines to this file as they come; - is stdout")
      ->type_name("FILE");
  app.add_option("--csv", csv, "Write records as comma-separated values to this file; - is stdout")
      ->type_name("FILE");
  app.add_option("-o,--output", output, "Write the table to this file (default -, stdout)")
      ->type_name("FILE");
  app.add_flag("--resume", resume, "Continue the --json file: skip configurations that it holds");
  app.add_flag("--plan", plan,
               "Print the configurations and what they would take, without running them");
  app.add_option_function<std::string>(
         "--max-messages",
         [this](const std::string& text) { max_messages = limit(text, "--max-messages"); },
         "Skip configurations of more messages, with an estimate (default 1e9)")
      ->type_name("COUNT");
  app.add_option_function<std::string>(
         "--max-seconds",
         [this](const std::string& text) { max_seconds = limit(text, "--max-seconds"); },
         "Skip configurations that are estimated to take longer (default 3600)")
      ->type_name("COUNT");
}

void SweepOptions::add_share(CLI::App& app) {
  app.add_flag("--share", share,
               "Share the configurations among the processes that srun or mpirun started; the last "
               "one to end merges their parts of the --json file");
}

std::vector<collectives::DType> SweepOptions::parsed_dtypes() const {
  std::vector<collectives::DType> all;
  for (const std::string& text : or_usual(dtypes, "float32"))
    add_new(all, parse_name(text, collectives::kDTypes, "dtype", collectives::dtype_named));
  return all;
}

std::vector<collectives::Op> SweepOptions::parsed_ops() const {
  std::vector<collectives::Op> all;
  for (const std::string& text : or_usual(ops, "sum"))
    add_new(all, parse_name(text, collectives::kOps, "op", collectives::op_named));
  return all;
}

std::vector<Rank> SweepOptions::parsed_roots() const {
  return parse_numbers(or_usual(roots, "0"), "--root", 0, kMostRanks - 1);
}

std::vector<int> SweepOptions::parsed_segments() const {
  return parse_numbers(or_usual(segments, "1"), "--segments", 1, kMostSegments);
}

Collective SweepOptions::parsed_collective() const {
  return parse_name(collective, kCollectives, "collective", collective_named);
}

std::vector<const Algorithm*> SweepOptions::chosen_algorithms() const {
  std::vector<std::string> wanted = positional;
  wanted.insert(wanted.end(), algorithms.begin(), algorithms.end());
  if (wanted.empty()) wanted = {"all"};
  const Collective task = parsed_collective();
  std::vector<const Algorithm*> chosen;
  const auto choose = [&](const Algorithm& a) {
    if (std::find(chosen.begin(), chosen.end(), &a) == chosen.end()) chosen.push_back(&a);
  };
  for (const std::string& name : wanted) {
    if (name != "all") {
      choose(named(name, command));
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

std::vector<Count> SweepOptions::parsed_elements(collectives::DType dtype) const {
  if (!sizes.empty() && !elements.empty())
    fail(Blame::usage, "--elements and --size both set the length of the vector: give only one");
  if (sizes.empty()) return parse_counts(elements, "--elements");
  const auto element = static_cast<Count>(collectives::size_of(dtype));
  std::vector<Count> all;
  for (const std::int64_t bytes : parse_counts(sizes, "--size")) {
    if (bytes % element != 0)
      fail(Blame::usage, fmt::format("--size {} is not a whole number of {}-byte elements ({}): "
                                     "use a multiple of {}, or -n",
                                     bytes, element, name(dtype), element));
    all.push_back(bytes / element);
  }
  return all;
}

bool SweepOptions::left_out(const Algorithm& algorithm, const Problem& problem) const {
  const auto names = [&](const std::vector<std::string>& wanted) {
    return std::find(wanted.begin(), wanted.end(), algorithm.name) != wanted.end();
  };
  return algorithm.grouped && !problem.groups && !names(positional) && !names(algorithms);
}

std::shared_ptr<const Groups> SweepOptions::given_groups(Rank p) const {
  if (group_size == 0) return nullptr;
  constexpr Rank kMostGrouped = 1 << 24;  // groups are lists of ranks
  if (p > kMostGrouped)
    fail(Blame::usage, fmt::format("ranks is {}: with --groups give at most {}", p, kMostGrouped));
  return std::make_shared<const Groups>(Groups::consecutive(p, group_size));
}

std::vector<Config> SweepOptions::configs(std::span<const GroupsOf> networks) const {
  const auto chosen = chosen_algorithms();
  const Collective task = parsed_collective();
  const std::vector<Rank> all_ranks = parsed_ranks(), all_roots = parsed_roots();
  const std::vector<int> all_segments = parsed_segments();
  const auto all_dtypes = parsed_dtypes();
  const auto all_ops = parsed_ops();
  std::vector<std::vector<Count>> elements_of;  // by type
  for (const collectives::DType dtype : all_dtypes) elements_of.push_back(parsed_elements(dtype));
  const std::size_t choices = std::max<std::size_t>(1, networks.size());
  double total = 1;
  for (const std::size_t n :
       {all_ranks.size(), all_dtypes.size(), all_ops.size(), all_roots.size(), choices,
        all_segments.size(), chosen.size(), elements_of.front().size()})
    total *= static_cast<double>(n);
  if (total > kMostConfigs)
    fail(Blame::usage, fmt::format("{:.3g} configurations are too many: take larger steps, at most "
                                   "{} configurations in one sweep",
                                   total, show_count(kMostConfigs)));
  if ((task == Collective::reduce_scatter || task == Collective::all_gather) &&
      (all_segments.size() > 1 || all_segments.front() > 1))
    fail(Blame::usage, fmt::format("--segments {}: {} would end with several pieces per rank "
                                   "instead of one chunk: use 1 segment",
                                   all_segments.back(), name(task)));
  std::vector<Config> all;
  all.reserve(static_cast<std::size_t>(total));
  std::vector<std::shared_ptr<const Groups>> groups(choices);
  const auto add = [&](const Problem& problem, collectives::Operand operand) {
    for (std::size_t i = 0; i < choices; ++i)
      for (const int pieces : all_segments)
        for (const Algorithm* algorithm : chosen) {
          Config config{algorithm, problem, operand, pieces, i, groups[i]};
          config.problem.groups = groups[i].get();
          if (!left_out(*algorithm, config.problem)) all.push_back(std::move(config));
        }
  };
  for (const Rank p : all_ranks) {
    for (std::size_t i = 0; i < choices; ++i)
      groups[i] = group_size > 0 || networks.empty() ? given_groups(p) : networks[i](p);
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
