// arlab count: compares the message counts that closed formulas claim with counts of the programs.
#include "algorithms/verify/count.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/commands/commands.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/sweep/round_size.hpp"
#include "bench/sweep/sweep.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string text(const Cost& cost) {
  return fmt::format("{} messages, {} elements and {} rounds", cost.messages, cost.elements,
                     cost.rounds);
}

// A claim that is wrong is named once per configuration, with both numbers.
void report(const Config& config, const std::string& who, const Cost& claimed,
            const Cost& counted) {
  say("error: {} on {}: {} claims {}, but its program has {}\n", config.algorithm->name,
      show_plural(config.problem.ranks, "rank"), who, text(claimed), text(counted));
}

void evaluate(const Config& config, Record& r) {
  const Algorithm& a = *config.algorithm;
  const Counts counts = count(a, config.problem, config.segments);
  r.sent = counts.all;
  if (!r.has_formula) return;
  r.wrong = 0;
  if (counts.all != *r.claimed) {
    r.wrong = 1;
    report(config, "the formula", *r.claimed, counts.all);
  }
  if (!a.rank_cost_model) return;  // claims nothing about single ranks
  Count wrong = 0;
  for (Rank rank = 0; rank < config.problem.ranks; ++rank) {
    const Cost claimed = predicted_rank_cost(a, config.problem, rank, config.segments);
    const Cost& counted = counts.rank[static_cast<std::size_t>(rank)];
    if (claimed == counted) continue;
    if (++wrong == 1) report(config, fmt::format("the formula of rank {}", rank), claimed, counted);
  }
  if (wrong > 1) say("error: the formulas of {} ranks are wrong; the first is named\n", wrong);
  *r.wrong += wrong;
}

Estimate estimate(RoundSizes& rounds, const Config& config, const Record& r) {
  constexpr double kBytesPerRank = 600, kBytesPerAction = 32, kMessagesPerSecond = 5e6,
                   kRoundsPerSecond = 3e7;  // measured, rounded down
  const auto ranks = static_cast<double>(config.problem.ranks);
  Estimate e{.messages = static_cast<double>(r.claimed->messages)};
  e.seconds =
      std::max(e.messages / kMessagesPerSecond, rounds_of_all(config, r) / kRoundsPerSecond);
  e.memory =
      ranks * (kBytesPerRank + kBytesPerAction * rounds(config, RoundSizes::Of::last_rank).actions);
  return e;
}

}  // namespace

void add_count(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab count ring -p 7 -n 1000\n  arlab count all -p 2..64 -n 1M --csv "
      "counts.csv");
  const auto options = std::make_shared<SweepOptions>();
  options->add_axes(command, true);
  options->add_outputs(command);
  options->add_jobs(command, false);
  make_rare(command, {"--layout", "--limit", "--resume", "--dry-run"});
  hide(command, {"--jobs"});  // an old option: counting takes no time
  command.callback([options, &session] {
    options->command = session.command;
    options->caller = session.caller;
    options->any_switches = true;
    if (options->share)
      say("note: --jobs share is deprecated in count, since counting takes no time\n");
    options->take_defaults("8");
    if (options->elements.empty() && options->sizes.empty()) options->elements = {"1000"};
    options->progress = session.progress;
    RoundSizes rounds;
    session.exit_code = sweep(
        *options, options->configs(), [](const Config&) { return CountBody{}; },
        [&](const Config& config, const Record& r) { return estimate(rounds, config, r); },
        evaluate);
  });
}

}  // namespace arlab::bench
