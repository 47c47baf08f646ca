// arlab count: compares the message counts that closed formulas claim with counts of the programs.
#include "algorithms/verify/count.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/commands/commands.hpp"
#include "bench/results/sweep.hpp"

namespace arlab::bench {
namespace {

void evaluate(const Config& config, Record& r) {
  const Counts counts = count(*config.algorithm, config.problem, config.segments);
  r.sent = counts.all;
  r.wrong = counts.all == *r.claimed ? 0 : 1;
  for (Rank rank = 0; rank < config.problem.ranks; ++rank)
    if (!(counts.rank[static_cast<std::size_t>(rank)] ==
          predicted_rank_cost(*config.algorithm, config.problem, rank, config.segments)))
      ++*r.wrong;
}

Estimate estimate(const Config& config, const Record& r) {
  constexpr double kBytesPerRank = 600, kBytesPerAction = 32,
                   kMessagesPerSecond = 5e6;  // measured, rounded down
  const auto ranks = static_cast<double>(config.problem.ranks);
  Estimate e{.messages = static_cast<double>(r.claimed->messages)};
  e.seconds = e.messages / kMessagesPerSecond;
  if (e.messages > 1e12) return e;  // too many; do not build a round
  e.memory =
      ranks * (kBytesPerRank +
               kBytesPerAction *
                   static_cast<double>(largest_round(config, config.problem.ranks - 1).actions));
  return e;
}

}  // namespace

void add_count(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("count", "Count messages: the closed formula against the programs");
  command->footer(
      "Examples:\n  arlab count ring -p 7 -n 1000\n  arlab count all -p 2..64 -n 1M --csv "
      "counts.csv");
  const auto options = std::make_shared<SweepOptions>();
  options->add_axes(*command, true);
  options->add_outputs(*command);
  command->callback([options, &session] {
    options->command = session.command;
    if (options->ranks.empty()) options->ranks = {"8"};
    if (options->elements.empty() && options->sizes.empty()) options->elements = {"1000"};
    session.exit_code = sweep(
        *options, options->configs(), [](const Config&) { return CountBody{}; }, estimate,
        evaluate);
  });
}

}  // namespace arlab::bench
