// arlab show --numerics: what the order of additions means for floating-point results.
#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/numerics.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/options.hpp"
#include "bench/text/table.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kMaxRanks = 256;          // seconds, for each algorithm
constexpr std::size_t kOrderShown = 44;  // characters

}  // namespace

void show_numerics(const SweepOptions& options) {
  if (!options.json.empty())
    fail(Blame::usage, "--json holds schedules: leave it out, or leave out --numerics");
  check_writable(options.output);
  RedirectedStdout file(options.output);
  std::vector<std::vector<std::string>> rows;
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  const std::vector<Rank> roots = options.parsed_roots(1);
  if (options.every_root()) fail(Blame::usage, "--root all: --numerics takes one root");
  if (roots.size() > 1)
    fail(Blame::usage, fmt::format("--root names {} roots: --numerics takes one", roots.size()));
  for (const Algorithm* a : options.chosen_algorithms())
    for (const Rank ranks : options.parsed_ranks()) {
      if (ranks > kMaxRanks)
        fail(Blame::usage,
             fmt::format("ranks is {}: --numerics takes at most {}", ranks, kMaxRanks));
      const RankLayout layout = options.given_layout(ranks);
      Problem p = layout.on({options.parsed_collective(), ranks, 2 * Count{ranks}, roots.front()});
      if (options.is_named(*a)) p.switches = kAnySwitches;
      check(p);
      if (options.left_out(*a, p)) continue;
      if (const std::string why = unsupported(*a, p); !why.empty()) fail(Blame::usage, why);
      const Numerics found = numerics(*a, p);
      std::string order = found.bracketing;
      if (order.size() > kOrderShown) order = order.substr(0, kOrderShown) + "...";
      rows.push_back({std::string(a->name), std::to_string(ranks), yes(found.same_on_all_ranks),
                      yes(found.same_for_all_elements), yes(found.same_for_more_ranks),
                      fmt::format("{:.2f}", found.error), order});
    }
  fmt::print("{}", markdown({"algorithm", "ranks", "all ranks", "all elements", "more ranks",
                             "error", "first chunk"},
                            rows));
  fmt::print(
      "\nAre the bits the same on all ranks? For all elements, wherever they are in the vector? "
      "With "
      "more ranks\nthat add zeros? error: the largest in float, in units of 2^-24 of the sum of "
      "absolute values.\n");
  file.finish();
}

}  // namespace arlab::bench
