// arlab count: the message-count model: claimed by a formula, counted in the programs, and the
// difference.
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
          claimed_of_rank(*config.algorithm, config.problem, rank, config.segments)))
      ++*r.wrong;
}

Estimate estimate(const Config& config, const Record& r) {
  constexpr double kBytesARank = 600, kBytesAnAction = 32,
                   kMessagesASecond = 5e6;  // measured, rounded down
  const auto ranks = static_cast<double>(config.problem.ranks);
  Estimate e{.messages = static_cast<double>(r.claimed->messages)};
  e.seconds = e.messages / kMessagesASecond;
  if (e.messages > 1e12) return e;  // hopeless anyway; do not even make one rank's round
  e.memory =
      ranks * (kBytesARank +
               kBytesAnAction *
                   static_cast<double>(largest_round(config, config.problem.ranks - 1).actions));
  return e;
}

}  // namespace

void add_count(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "count", "The message-count model: claimed by a formula, counted in the programs");
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
        *options, "count", [](Record&) {}, estimate, evaluate);
  });
}

}  // namespace arlab::bench
