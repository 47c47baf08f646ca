// arlab show: prints the rounds of an algorithm: what each rank sends, adds and overwrites per step.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/match_schedule.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/units.hpp"
#include "bench/commands/commands.hpp"
#include "bench/results/table.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kMaxRanks = 64;  // wider tables are unreadable

// "c3", "c2-5", "c6-1" around the end, "c1-7/2" for every second chunk.
std::string chunks_text(const Problem& p, const Chunks& c) {
  if (c == p.all() && p.ranks > 1) return "all";
  if (c.count == 1) return fmt::format("c{}", c.first);
  const Rank last = p.wrap(c.first + (Count{c.count} - 1) * c.stride);
  return fmt::format("c{}-{}{}", c.first, last, c.stride == 1 ? "" : fmt::format("/{}", c.stride));
}

std::string action_text(const Problem& p, const Action& a) {
  switch (a.kind) {
    case ActionKind::send:
      return fmt::format("send {} to {}", chunks_text(p, a.chunks), a.peer);
    case ActionKind::reduce:
      return fmt::format("add {} from {}", chunks_text(p, a.chunks), a.peer);
    case ActionKind::replace:
      return fmt::format("set {} from {}", chunks_text(p, a.chunks), a.peer);
  }
  return "";
}

// Cells by step and rank.
class Steps {
 public:
  explicit Steps(const Problem& problem) : p_(problem) {}

  Fault on_round_end(Rank rank, Count step, Round round) {
    std::string& cell = cells_[step][rank];
    for (const Action& a : round) cell += (cell.empty() ? "" : "; ") + action_text(p_, a);
    return {};
  }

  std::string text() const {
    if (cells_.empty()) return "Nothing is sent.\n";
    std::vector<std::string> header{"step"};
    for (Rank r = 0; r < p_.ranks; ++r) header.push_back(fmt::format("rank {}", r));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [step, ranks] : cells_) {
      rows.push_back({std::to_string(step)});
      for (Rank r = 0; r < p_.ranks; ++r) rows.back().push_back(ranks.count(r) ? ranks.at(r) : "");
    }
    return markdown(header, rows);
  }

 private:
  Problem p_;
  std::map<Count, std::map<Rank, std::string>> cells_;
};

// Summary, cost on these ranks, formula and source.
std::string heading(const Algorithm& a, const Problem& p) {
  const Cost cost = predicted_cost(a, p);
  const bool stops = a.summary.ends_with('.');
  std::string text =
      fmt::format("{}: {}{}\n{} on {}: {}, {}.", a.label, a.summary, stops ? "" : ".",
                  name(p.collective), show_plural(p.ranks, "rank"),
                  show_plural(cost.messages, "message"), show_plural(cost.rounds, "round"));
  if (p.collective == Collective::allreduce)
    text +=
        fmt::format(" On m ranks: {} messages, {} rounds.", a.formula.messages, a.formula.rounds);
  return text + fmt::format("\nSource: {}.\n", a.source);
}

void show(const SweepOptions& options) {
  const auto chosen = options.chosen_algorithms();
  bool first = true;
  for (const Algorithm* a : chosen)
    for (const Rank ranks : options.parsed_ranks()) {
      if (ranks > kMaxRanks)
        fail(Blame::usage,
             fmt::format("ranks is {}: a table of more than {} ranks is unreadable, use fewer",
                         ranks, kMaxRanks));
      const RankLayout layout = options.given_layout(ranks);
      Problem p{options.parsed_collective(), ranks, ranks, options.root};
      p.groups = layout.groups.get();
      p.grid = layout.grid.get();
      check(p);
      if (options.left_out(*a, p)) continue;
      if (const std::string why = unsupported(*a, p); !why.empty())
        fail(Blame::usage, why + ": choose another algorithm or --collective");
      Steps steps(p);
      MatchCallbacks callbacks;
      callbacks.on_round_end = [&](Rank rank, Count, Count step, Round round) {
        return steps.on_round_end(rank, step, round);
      };
      const MatchResult matched = match_schedule(p, schedule_of(*a, p), callbacks);
      if (matched.fault) fail(Blame::check, fmt::format("{}: {}", a->name, matched.fault.text));
      fmt::print("{}{}\n{}", first ? "" : "\n", heading(*a, p), steps.text());
      first = false;
    }
  fmt::print(
      "\nc2 is chunk 2 of the vector, which has one chunk per rank; all is the whole vector.\n"
      "add: receive and add. set: receive and overwrite. A rank starts its next step when its own "
      "step is done.\n");
}

}  // namespace

void add_show(CLI::App& app, Session&) {
  CLI::App* command =
      app.add_subcommand("show", "Print the rounds of an algorithm as a table, or a topology");
  command->footer(
      "Examples:\n  arlab show ring -p 4\n  arlab show tree -p 6 --root 2\n  arlab show topology "
      "torus\n  arlab show all --numerics");
  const auto options = std::make_shared<SweepOptions>();
  options->add_names(*command);
  options->add_ranks(*command, "Ranks (default 4), at most 64");
  const auto numerics = std::make_shared<bool>(false);
  command->add_flag("--numerics", *numerics,
                    "Print how rounding depends on ranks and elements, instead of the rounds");
  add_show_topology(*command);
  command->callback([options, command, numerics] {
    if (!command->get_subcommands().empty()) return;
    if (options->ranks.empty()) options->ranks = {*numerics ? "8" : "4"};
    *numerics ? show_numerics(*options) : show(*options);
  });
}

}  // namespace arlab::bench
