#include "bench/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "algorithms/error.hpp"
#include "bench/units.hpp"

namespace arlab {
namespace {

template <class Named, std::size_t N, class Parse>
Named parse_name(const std::string& text, const Named (&all)[N], std::string_view what,
                 Parse parse) {
  if (const auto found = parse(text)) return *found;
  std::vector<std::string_view> names;
  for (const Named one : all) names.push_back(name(one));
  fail(Blame::usage, fmt::format("unknown {} '{}'{}: use one of {}", what, text,
                                 did_you_mean(text, names), fmt::join(names, ", ")));
}

}  // namespace

void SweepOptions::add_axes(CLI::App& verb, bool with_type) {
  verb.add_option("algorithms", positional, "Algorithms, or all (default)")
      ->type_name("NAME")
      ->delimiter(',');
  verb.add_option("-a,--algorithm", algorithms, "The same, as an option: a comma-separated list")
      ->delimiter(',');
  verb.add_option("-p,--ranks", ranks,
                  "Ranks: 8, 2,4,8, 2..1024 (doubling) or 1..64+1 (steps of one)")
      ->delimiter(',');
  auto* elements_option =
      verb.add_option("-n,--elements", elements, "Elements of the vector: 1000, 1K..1M, ...")
          ->delimiter(',');
  verb.add_option("-s,--size", sizes, "Size of the vector in bytes instead: 1M, 1K..64M, 1K..64M*4")
      ->delimiter(',')
      ->excludes(elements_option);
  verb.add_option("-c,--collective", collective,
                  "allreduce (default), reduce_scatter, all_gather, reduce or broadcast");
  verb.add_option("--root,--master", root,
                  "Root of a tree, master of master_worker, source of a broadcast (default 0)");
  verb.add_option(
      "--segments", segments,
      "Pipeline: cut the vector in so many pieces that travel concurrently (default 1)");
  if (!with_type) return;
  verb.add_option("-t,--dtype", dtype,
                  "float32 (default), float64, float16, bfloat16, int32 or int64");
  verb.add_option("--op", op, "sum (default), prod, min, max or avg");
}

void SweepOptions::add_outputs(CLI::App& verb) {
  verb.add_option("--json", json,
                  "Write records as JSON Lines to this file as they come; - is stdout")
      ->type_name("FILE");
  verb.add_option("--csv", csv, "Write records as comma-separated values to this file; - is stdout")
      ->type_name("FILE");
  verb.add_flag("--resume", resume, "Go on with the --json file: leave out what it holds already");
  verb.add_flag("--plan", plan, "Only say what would be done, and what it would take");
  verb.add_option("--max-messages", max_messages,
                  "Skip configurations of more messages, with an estimate (default 1e9)");
}

Operand SweepOptions::operand() const {
  return {parse_name(dtype, kDTypes, "dtype", dtype_named), parse_name(op, kOps, "op", op_named)};
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
      choose(find_algorithm(name));
      continue;
    }
    for (const Algorithm& a : catalogue())
      if (std::find(a.collectives.begin(), a.collectives.end(), task) != a.collectives.end())
        choose(a);
  }
  return chosen;
}

std::vector<Rank> SweepOptions::parsed_ranks() const {
  std::vector<Rank> all;
  for (const std::int64_t p : parse_counts(ranks, "--ranks")) {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    if (p < 1 || p > kMost)
      fail(Blame::usage, fmt::format("ranks is {}: give 1 to {}, for example -p 4", p, kMost));
    all.push_back(static_cast<Rank>(p));
  }
  return all;
}

std::vector<Count> SweepOptions::parsed_elements() const {
  if (sizes.empty()) return parse_counts(elements, "--elements");
  const auto element = static_cast<Count>(size_of(operand().dtype));
  std::vector<Count> all;
  for (const std::int64_t bytes : parse_counts(sizes, "--size")) {
    if (bytes % element != 0)
      fail(Blame::usage,
           fmt::format(
               "--size {} is no whole number of {}-byte elements ({}): use a multiple of {}, or -n",
               bytes, element, dtype, element));
    all.push_back(bytes / element);
  }
  return all;
}

std::vector<Config> SweepOptions::configs() const {
  const auto chosen = chosen_algorithms();
  const Operand type = operand();
  const auto largest = std::numeric_limits<Count>::max() / static_cast<Count>(size_of(type.dtype));
  std::vector<Config> all;
  for (const Rank p : parsed_ranks())
    for (const Count n : parsed_elements()) {
      if (n > largest)
        fail(Blame::usage, fmt::format("{} elements of {} bytes overflow 64 bits: use fewer", n,
                                       size_of(type.dtype)));
      for (const Algorithm* algorithm : chosen) {
        const Config config{algorithm, {parsed_collective(), p, n, root}, type, segments};
        check(config.problem);
        if (segments < 1)
          fail(Blame::usage, fmt::format("--segments is {}: give at least 1", segments));
        all.push_back(config);
      }
    }
  return all;
}

}  // namespace arlab
