// arlab show: prints the rounds of an algorithm: what each rank sends, adds and overwrites per
// step.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "algorithms/teams.hpp"
#include "algorithms/verify/match_schedule.hpp"
#include "bench/commands/commands.hpp"
#include "bench/formats/schedule_json.hpp"
#include "bench/options/caller.hpp"
#include "bench/options/options.hpp"
#include "bench/results/locked_file.hpp"
#include "bench/sweep/output.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "training/io/json.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kMaxColumns = 64;  // wider tables are unreadable

// "c3", "c2-5", "c6-1" around the end, "c1-7/2" for every second chunk.
std::string chunks_text(const Problem& p, const Chunks& c) {
  if (c == p.all() && p.ranks > 1) return "all";
  if (c.count == 1) return fmt::format("c{}", c.first);
  const Rank last = p.wrap(c.first + (Count{c.count} - 1) * c.stride);
  return fmt::format("c{}-{}{}", c.first, last, c.stride == 1 ? "" : fmt::format("/{}", c.stride));
}

// The ranks for which switches add: "all", "group 1", "place 3".
std::string team_text(const Problem& p, Team team) {
  if (team == kEveryone) return "all";
  const Team first_place = team_of_place(p, 0);
  return team < first_place ? fmt::format("group {}", team - team_of_group(p, 0))
                            : fmt::format("place {}", team - first_place);
}

std::string action_text(const Problem& p, const Action& a) {
  switch (a.kind) {
    case ActionKind::send:
      return fmt::format("send {} to {}", chunks_text(p, a.chunks), a.peer);
    case ActionKind::reduce:
      return fmt::format("add {} from {}", chunks_text(p, a.chunks), a.peer);
    case ActionKind::replace:
      return fmt::format("set {} from {}", chunks_text(p, a.chunks), a.peer);
    case ActionKind::give:
      return fmt::format("give {} to {}", chunks_text(p, a.chunks), team_text(p, a.peer));
    case ActionKind::take:
      return fmt::format("take {} of {}", chunks_text(p, a.chunks), team_text(p, a.peer));
    case ActionKind::join:
      return fmt::format("join {} of {}", chunks_text(p, a.chunks), team_text(p, a.peer));
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
  if (p.collective == Collective::allreduce && a.has_formula)
    text += fmt::format(" On m ranks: {} messages, {} {}.", a.formula.messages, a.formula.rounds,
                        a.formula.rounds == "1" ? "round" : "rounds");
  return text + fmt::format("\nSource: {}.\n", a.source);
}

// Parts of the size of the smallest lane: with an element per rank in each, no message is empty.
Count smallest_parts(const Algorithm& a, const Problem& p) {
  if (!a.lane_weights) return a.lanes;
  const std::vector<Count> weights = a.lane_weights(p);
  const Count least = std::ranges::min(weights);
  return (std::accumulate(weights.begin(), weights.end(), Count{0}) + least - 1) / least;
}

// As many chunks as the algorithm asks for, with an element each.
void use_its_chunks(const Algorithm& a, Problem& p) {
  p.chunks_per_rank = a.chunks_per_rank(p);
  p.elements = p.parts();
}

// Problems with the groups that they point to.
std::vector<Config> shown_configs(const SweepOptions& options) {
  std::vector<Config> all;
  for (const Algorithm* a : options.chosen_algorithms())
    for (const Rank ranks : options.parsed_ranks())
      for (const Rank root : options.parsed_roots(ranks)) {
        if (ranks > kMaxColumns)
          fail(Blame::usage,
               fmt::format("ranks is {}: a table of more than {} ranks is unreadable, use fewer",
                           ranks, kMaxColumns));
        Config config;
        config.algorithm = a;
        config.layout = options.given_layout(ranks);
        config.problem = config.layout.on({options.parsed_collective(), ranks, ranks, root});
        if (options.is_named(*a)) config.problem.switches = kAnySwitches;
        check(config.problem);
        if (options.left_out(*a, config.problem)) continue;
        if (const std::string why = unsupported(*a, config.problem); !why.empty())
          fail(Blame::usage, why + ": choose another algorithm or --collective");
        if (a->chunks_per_rank) use_its_chunks(*a, config.problem);
        config.problem.elements *= smallest_parts(*a, config.problem);
        all.push_back(std::move(config));
      }
  return all;
}

// The rounds of one lane.
std::string steps_of(const Config& config, const Problem& p) {
  Steps steps(p);
  MatchCallbacks callbacks;
  callbacks.on_round_end = [&](Rank rank, Count, Count step, Round round) {
    return steps.on_round_end(rank, step, round);
  };
  const MatchResult matched = match_schedule(*config.algorithm, p, callbacks);
  if (matched.fault)
    fail(Blame::check, fmt::format("{}: {}", config.algorithm->name, matched.fault.text));
  return steps.text();
}

std::string tables_of(const Config& config) {
  std::string text = heading(*config.algorithm, config.problem);
  std::vector<std::string> tables;
  for (const Lane& lane : lanes_of(*config.algorithm, config.problem))
    tables.push_back(steps_of(config, lane.problem));
  for (std::size_t lane = 0, next = 0; lane < tables.size(); lane = next) {
    while (next < tables.size() && tables[next] == tables[lane]) ++next;  // the same rounds
    if (tables.size() > 1)
      text += next - lane > 1 ? fmt::format("\nLanes {} to {}, each:\n", lane, next - 1)
                              : fmt::format("\nLane {}:\n", lane);
    text += "\n" + tables[lane];
  }
  return text;
}

void show_schedules(const SweepOptions& options) {
  check_outputs(options);
  check_can_write(options.json);
  std::string text, json;
  bool adds = false, parts = false, several = false;
  for (const Config& config : shown_configs(options)) {
    adds = adds || config.algorithm->in_network;
    parts = parts || lanes_of(*config.algorithm, config.problem).size() > 1;
    several = several || config.problem.chunks_per_rank > 1;
    text += (text.empty() ? "" : "\n") + tables_of(config);
    if (options.caller) options.caller->records.push_back(schedule_json(config));
    if (!options.json.empty()) json += training::json_text(schedule_json(config)) + "\n";
  }
  text += fmt::format(
      "\nc2 is chunk 2 of the vector, which has one chunk{} per rank; all is the whole vector.\n",
      several ? " or several" : "");
  text +=
      "add: receive and add. set: receive and overwrite. A rank starts its next step when its own "
      "step is done.\n";
  if (parts)
    text +=
        "A lane is a part of the vector with chunks of its own. All lanes work at the same time.\n";
  if (adds)
    text +=
        "give: send to the sum of a team of ranks, which switches add. take: receive that sum and "
        "overwrite. join: both.\n";
  if (options.caller) options.caller->text = text;
  if (!options.json.empty()) {
    if (options.json != "-") keep_earlier(options.json);
    write_file(options.json, json);
    say_written(options.json);
  }
  const bool taken = options.caller || options.json == "-";
  if (taken && options.output == "-") return;
  write_file(options.output, text);
  say_written(options.output);
}

}  // namespace

void add_show(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab show ring -p 4\n  arlab show tree -p 6 --root 2\n  arlab show topology "
      "torus\n  arlab show all --numerics");
  const auto options = std::make_shared<SweepOptions>();
  options->add_names(command);
  options->add_ranks(command, "Ranks (default 4), at most 64");
  command
      .add_option("-o,--output", options->output,
                  "Write the tables to this file (default -, stdout)")
      ->type_name("FILE");
  command
      .add_option("--json", options->json,
                  "Write each schedule as a line of JSON to this file; - is stdout")
      ->type_name("FILE");
  const auto numerics = std::make_shared<bool>(false);
  command.add_flag("--numerics", *numerics,
                   "Print how rounding depends on ranks and elements, instead of the rounds");
  add_show_topology(command);
  command.callback([options, &command, numerics, &session] {
    options->command = session.command;
    options->caller = session.caller;
    if (!command.get_subcommands().empty()) return;
    options->take_defaults(*numerics ? "8" : "4");
    *numerics ? show_numerics(*options) : show_schedules(*options);
  });
}

}  // namespace arlab::bench
