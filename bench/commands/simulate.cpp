// arlab simulate: how long an algorithm takes on a network model, in simulated time.
#include "simulator/engine/simulate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/cli/model_options.hpp"
#include "bench/cli/units.hpp"
#include "bench/commands/commands.hpp"
#include "bench/results/sweep.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

struct SimulateVerb {
  SweepOptions sweep;
  ModelOptions model;
  bool critical_path = false;
  int links = 0;  ///< to be watched over time
};

// What the finish hangs on, in words; told beside the results, not in them.
void tell(const simulator::CriticalPath& path, const Record& r) {
  Count messages = 0;
  for (const simulator::CriticalStep& s : path.steps)
    messages += s.kind == simulator::CriticalStep::Kind::message ? 1 : 0;
  std::string parts;
  using Kind = simulator::CriticalStep::Kind;
  for (const Kind command : {Kind::message, Kind::send, Kind::receive, Kind::reduce, Kind::wait})
    if (const Time spent = path.spent(command); spent > Time{})
      parts += fmt::format("{}{} {} ({:.0f}%)", parts.empty() ? "" : ", ", name(command),
                           show_time(microseconds(spent)),
                           100 * picoseconds(spent) / picoseconds(path.length()));
  const std::string ends = path.steps.empty()
                               ? ""
                               : fmt::format(" from rank {} to rank {}: {}",
                                             path.steps.front().rank, path.steps.back().to, parts);
  fmt::print(stderr, "{}, {}, {}: hangs on {}{}\n", r.algorithm,
             show_plural(r.problem.ranks, "rank"), show_bytes(r.bytes()),
             show_plural(messages, "message"), ends);
}

void evaluate(const SimulateVerb& command, const Config& config, Record& r) {
  constexpr std::size_t kNamed = 3;         // links in a record when nobody asks for more
  constexpr Count kMostTraced = 2'000'000;  // messages; a trace takes some 150 bytes of each
  const bool critical = command.critical_path;
  if (critical && r.claimed->messages > kMostTraced)
    fail(Blame::usage,
         fmt::format("--critical-path of {} messages: {} is the most, use fewer ranks",
                     show_count(r.claimed->messages), show_count(kMostTraced)));
  const auto network = command.model.make(config.network, config.problem.ranks);
  simulator::LinkHistory history;
  if (command.links > 0) network->watch_links(history);
  simulator::Trace trace;
  const simulator::SimulationResult outcome =
      simulator::simulate(*config.algorithm, config.problem,
                          static_cast<Bytes>(collectives::size_of(config.operand.dtype)), *network,
                          {.segments = config.segments, .trace = critical ? &trace : nullptr});
  if (critical) tell(simulator::critical_path(trace, outcome.finish), r);
  r.sent = outcome.sent;
  r.time_us = exactly(microseconds(outcome.finish));
  r.modelled_us = microseconds(outcome.finish);
  r.hottest = command.links > 0 ? hottest(*network, outcome.finish,
                                       static_cast<std::size_t>(command.links), &history)
                             : hottest(*network, outcome.finish, kNamed);
}

// Time is counted in 64 bits of picoseconds. A bound on the finish that is never too low: all work
// one after the other, or every round as long as the longest, whichever is less.
bool beyond_clock(const ModelOptions& options, const Config& config, const Record& r) {
  constexpr double kDelays = 4;  // a parameter counts at both ends and for the rendezvous' answer
  constexpr double kMost = 9.2e18;
  double message = 0, byte = 0;
  const simulator::Values values = options.values();
  for (const simulator::Parameter& p : options.parsed_model().parameters) {
    const double value = kDelays * values.at(std::string(p.name));
    if (p.unit == simulator::Parameter::Unit::time) message += value;
    if (p.unit == simulator::Parameter::Unit::time_per_byte) byte += value;
  }
  const auto element = static_cast<double>(collectives::size_of(config.operand.dtype));
  const auto messages = static_cast<double>(r.claimed->messages);
  if (messages * message + static_cast<double>(r.claimed->elements) * element * byte <= kMost)
    return false;
  const Count actions = std::max(largest_round(config, config.problem.root).actions,
                                 largest_round(config, config.problem.ranks - 1).actions);
  return static_cast<double>(r.claimed->rounds) * *r.lanes * static_cast<double>(actions) *
             (message + static_cast<double>(r.bytes()) * byte) >
         kMost;
}

// How many links packets would cross, where the model has packets.
double packets([[maybe_unused]] const ModelOptions& options, [[maybe_unused]] const Config& config,
               [[maybe_unused]] const Record& r) {
  const simulator::Values values = options.values();
  const auto mtu = values.find("mtu");
  if (mtu == values.end() || mtu->second < 1) return 0;
  const auto element = static_cast<double>(collectives::size_of(config.operand.dtype));
  const double whole = static_cast<double>(r.claimed->elements) * element / mtu->second;
  const auto fabric = options.fabric(config.network, config.problem.ranks);
  return std::max(whole, static_cast<double>(r.claimed->messages)) *
         simulator::average_route(*fabric);
}

Estimate estimate(const ModelOptions& options, const Config& config, const Record& r) {
  constexpr double kBytesARank = 450, kBytesAnAction = 32, kMessagesASecond = 4e6,
                   kHopsASecond = 5e6;  // measured, rounded
  Estimate e{.messages = static_cast<double>(r.claimed->messages)};
  e.packets = packets(options, config, r);
  e.seconds = e.messages / kMessagesASecond + e.packets / kHopsASecond;
  if (e.messages > 1e12) return e;  // hopeless anyway; do not even make one rank's round
  const auto actions = static_cast<double>(largest_round(config, config.problem.ranks - 1).actions);
  e.memory = static_cast<double>(config.problem.ranks) * r.lanes.value_or(1) *
             (kBytesARank + kBytesAnAction * actions);
  if (options.parsed_model().has_links) {
    // Flows that share links: all that are under way may have to be looked at when one ends.
    constexpr double kBytesAFlow = 500, kSecondsALook = 3e-10;  // measured, rounded up
    const double flows =
        static_cast<double>(config.problem.ranks) * r.lanes.value_or(1) * std::max(1., actions / 2);
    e.memory += flows * kBytesAFlow;
    e.seconds += e.messages * flows * kSecondsALook;
  }
  if (beyond_clock(options, config, r))
    e.impossible =
        "may take more than 106 days of simulated time, beyond 64 bits of picoseconds: use smaller "
        "parameters, fewer ranks or a smaller size";
  return e;
}

}  // namespace

void add_simulate(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("simulate", "How long algorithms take on a network model");
  command->footer(
      "Examples:\n  arlab simulate all -p 2..1024 -s 1M\n"
      "  arlab simulate ring -p 64 -s 1K..64M --model alpha_beta --alpha 5us --beta 0.08ns\n"
      "  arlab simulate butterfly -p 1M -s 4K --model loggops --L 5us --o 1us --g 0.5us --G "
      "0.08ns\n"
      "  arlab simulate ring -p 64 --model fluid --topology torus,fat_tree:levels=2 --placement "
      "block,random");
  const auto options = std::make_shared<SimulateVerb>();
  options->sweep.add_axes(*command, true);
  options->model.add(*command);
  command->add_flag("--critical-path", options->critical_path,
                 "Say, on stderr, what each finish hangs on: messages, additions, waits");
  command->add_option("--links", options->links,
                   "Record so many of the hottest links, and how busy each was over time")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1 << 20).description(""));
  options->sweep.add_outputs(*command);
  command->callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    if (o.ranks.empty()) o.ranks = {"64"};
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1M"};
    const ModelOptions& m = options->model;
    const std::string model(m.parsed_model().name), machine = m.machine();
    session.exit_code = sweep(
        o, o.configs(m.groups()), "simulate",
        [&](const Config& config, Record& r) {
          r.model = model;
          r.machine = machine;
          r.topology = m.topology_text(config.network, r.problem.ranks);
        },
        [&](const Config& config, const Record& r) { return estimate(m, config, r); },
        [&](const Config& config, Record& r) { evaluate(*options, config, r); });
  });
}

}  // namespace arlab::bench
