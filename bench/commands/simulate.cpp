// arlab simulate: predicts the time of an algorithm on a network model.
#include "simulator/engine/simulate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "algorithms/base/error.hpp"
#include "bench/cli/model_options.hpp"
#include "bench/cli/say.hpp"
#include "bench/cli/units.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/commands/commands.hpp"
#include "bench/replay/replay_traces.hpp"
#include "bench/sweep/fastest.hpp"
#include "bench/sweep/profile.hpp"
#include "bench/sweep/proofs.hpp"
#include "bench/sweep/round_size.hpp"
#include "bench/sweep/sweep.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

struct SimulateCommand {
  SweepOptions sweep;
  ModelOptions model;
  bool critical_path = false;
  bool no_symmetry = false, events = false;  ///< do without the faster engines
  bool fastest = false;                      ///< only the fastest algorithm of a cell counts
  Fastest cells;
  int links = 0;  ///< number of links to record over time
  Values values;  ///< of the model's parameters
  RoundSizes rounds;
  Proofs proofs;
  std::string profile_file;
  std::optional<Profile> profile;  ///< whose calls are replayed
};

// Prints the critical path in words, to stderr: it is not part of the results.
void print_critical_path(const simulator::CriticalPath& path, const Record& r) {
  Count messages = 0;
  for (const simulator::CriticalStep& s : path.steps)
    messages += s.kind == simulator::CriticalStep::Kind::message ? 1 : 0;
  std::string parts;
  using Kind = simulator::CriticalStep::Kind;
  for (const Kind kind : {Kind::message, Kind::send, Kind::receive, Kind::reduce, Kind::wait})
    if (const Time spent = path.spent(kind); spent > Time{})
      parts += fmt::format("{}{} {} ({:.0f}%)", parts.empty() ? "" : ", ", name(kind),
                           show_time(microseconds(spent)),
                           100 * picoseconds(spent) / picoseconds(path.length()));
  const std::string ends = path.steps.empty()
                               ? ""
                               : fmt::format(" from rank {} to rank {}: {}",
                                             path.steps.front().rank, path.steps.back().to, parts);
  say("{}, {}, {}: critical path of {}{}\n", r.algorithm, show_plural(r.problem.ranks, "rank"),
      show_bytes(r.bytes()), show_plural(messages, "message"), ends);
}

// The part of the ranks that are simulated, because the others behave like them.
double simulated_part(const SimulateCommand& command, const Config& config) {
  if (command.model.parsed_model().has_links || command.critical_path || command.no_symmetry ||
      command.events)
    return 1;
  const auto symmetry = simulator::symmetry_of(*config.algorithm, config.problem, config.segments);
  return symmetry ? static_cast<double>(symmetry->classes()) / config.problem.ranks : 1;
}

// A time that the configuration takes at least: 0 where links are shared.
Time lower_bound(const SimulateCommand& command, const Config& config) {
  if (command.model.parsed_model().has_links) return {};
  const auto network = command.model.make(config.network, 1);
  return busy_time(
      *network->uniform(), predicted_cost(*config.algorithm, config.problem, config.segments),
      config.problem.ranks, static_cast<Bytes>(collectives::size_of(config.operand.dtype)));
}

std::string longer_than(const Fastest::Best& best) {
  return fmt::format("takes longer than {} of {}", show_time(microseconds(best.time)),
                     best.algorithm);
}

Estimate estimate(SimulateCommand& command, const Config& config, const Record& r);

void evaluate(SimulateCommand& command, const Config& config, Record& r) {
  constexpr std::size_t kNamed = 3;        // links in a record by default
  constexpr Count kMaxTraced = 2'000'000;  // messages; a trace takes about 150 bytes per message
  const bool critical = command.critical_path;
  if (critical && r.claimed->messages > kMaxTraced)
    fail(Blame::usage,
         fmt::format("--critical-path: {} messages exceed the limit of {}: use fewer ranks",
                     show_count(r.claimed->messages), show_count(kMaxTraced)));
  if (const std::string& why = command.proofs.refuted(config); !why.empty()) {
    r.skipped = why;
    r.wrong = 1;
    return;
  }
  Fastest::Best* const best = command.fastest ? &command.cells.best(config) : nullptr;
  if (best && lower_bound(command, config) > best->time) {
    r.skipped = longer_than(*best);
    return;
  }
  if (std::string why = best ? too_big(command.sweep, estimate(command, config, r)) : "";
      !why.empty()) {
    r.skipped = std::move(why);
    return;
  }
  const auto network = command.model.make(config.network, config.problem.ranks);
  simulator::LinkHistory history;
  if (command.links > 0) network->watch_links(history);
  simulator::Trace trace;
  const auto element = static_cast<Bytes>(collectives::size_of(config.operand.dtype));
  const simulator::SimulateOptions options{.segments = config.segments,
                                           .symmetry = !command.no_symmetry && !command.events,
                                           .sweep = !command.events,
                                           .latest = best ? best->time : simulator::kNever,
                                           .trace = critical ? &trace : nullptr};
  simulator::SimulationResult outcome;
  if (static_cast<double>(r.claimed->messages) > command.sweep.max_messages &&
      simulated_part(command, config) < 1) {
    auto of_classes =
        simulator::simulate_classes(*config.algorithm, config.problem, element, *network, options);
    if (!of_classes) {
      r.skipped = fmt::format(
          "ranks behave alike, but rounds, sizes or ties need all of them, {:.3g} messages: raise "
          "--max-messages (now {:.3g}) to do it anyway",
          static_cast<double>(r.claimed->messages), command.sweep.max_messages);
      return;
    }
    outcome = std::move(*of_classes);
  } else {
    outcome = simulator::simulate(*config.algorithm, config.problem, element, *network, options);
  }
  if (outcome.stopped) {
    r.skipped = longer_than(*best);
    return;
  }
  if (best && outcome.finish < best->time) *best = {outcome.finish, std::string(r.algorithm)};
  if (critical) print_critical_path(simulator::critical_path(trace, outcome.finish), r);
  r.sent = outcome.sent;
  if (outcome.sent != *r.claimed) {
    r.wrong = 1;
    say("error: {} on {} claims {} messages, {} elements and {} rounds, but its program has "
        "{}, {} and {}: see `arlab count {} -p {}`\n",
        r.algorithm, show_plural(r.problem.ranks, "rank"), r.claimed->messages, r.claimed->elements,
        r.claimed->rounds, outcome.sent.messages, outcome.sent.elements, outcome.sent.rounds,
        r.algorithm, r.problem.ranks);
  }
  auto& body = r.as<SimulateBody>();
  body.modelled_us = microseconds(outcome.finish);
  body.engine = name(outcome.engine);
  body.bound_us = command.model.bound(config.network, config.problem, element);
  if (command.profile) command.profile->add(r);
  body.links = command.links > 0
                   ? most_utilized_links(*network, outcome.finish,
                                         static_cast<std::size_t>(command.links), &history)
                   : most_utilized_links(*network, outcome.finish, kNamed);
}

// Whether the finish may exceed 64 bits of picoseconds. An upper bound on it is the smaller of two
// times: all work in sequence, and every round as long as the longest one.
bool beyond_clock(SimulateCommand& command, const Config& config, const Record& r) {
  constexpr double kDelays = 4;  // both ends, and the answer of a rendezvous
  constexpr double kMax = 9.2e18;
  double message = 0, byte = 0;
  for (const Parameter& p : command.model.parsed_model().parameters) {
    const double value = kDelays * command.values.at(std::string(p.name));
    if (p.unit == Parameter::Unit::time) message += value;
    if (p.unit == Parameter::Unit::time_per_byte) byte += value;
  }
  const auto element = static_cast<double>(collectives::size_of(config.operand.dtype));
  const auto messages = static_cast<double>(r.claimed->messages);
  if (messages * message + static_cast<double>(r.claimed->elements) * element * byte <= kMax)
    return false;
  const double actions = std::max(command.rounds(config, RoundSizes::Of::root).actions,
                                  command.rounds(config, RoundSizes::Of::last_rank).actions);
  return static_cast<double>(r.claimed->rounds) * *r.lanes * actions *
             (message + static_cast<double>(r.bytes()) * byte) >
         kMax;
}

// The number of links that packets would cross, if the model has packets.
double packets(const SimulateCommand& command, const Config& config, const Record& r) {
  const auto mtu = command.values.find("mtu");
  if (mtu == command.values.end() || mtu->second < 1) return 0;
  const auto element = static_cast<double>(collectives::size_of(config.operand.dtype));
  const double whole = static_cast<double>(r.claimed->elements) * element / mtu->second;
  const auto fabric = command.model.fabric(config.network, config.problem.ranks);
  return std::max(whole, static_cast<double>(r.claimed->messages)) *
         simulator::average_route(*fabric);
}

Estimate estimate(SimulateCommand& command, const Config& config, const Record& r) {
  constexpr double kBytesPerPort = 40, kBytesPerRank = 450, kBytesPerAction = 32,
                   kMessagesPerSecond = 4e6, kHopsPerSecond = 5e6,
                   kRoundsPerSecond = 3e7;              // measured, rounded
  const double part = simulated_part(command, config);  // of the ranks, which stand for all
  Estimate e{.messages = static_cast<double>(r.claimed->messages) * part};
  e.packets = packets(command, config, r);
  e.seconds = std::max(e.messages / kMessagesPerSecond + e.packets / kHopsPerSecond,
                       rounds_of_all(config, r) * part / kRoundsPerSecond);
  const double actions = command.rounds(config, RoundSizes::Of::last_rank).actions;
  const int lanes = std::max(1, r.lanes.value_or(1));
  e.memory = static_cast<double>(config.problem.ranks) * lanes *
                 (kBytesPerRank + kBytesPerAction * actions) * part +
             (part < 1 ? kBytesPerPort * static_cast<double>(config.problem.ranks) : 0);
  if (command.model.parsed_model().has_links) {
    // Flows that share links: the end of one flow may change the rates of all others.
    constexpr double kBytesPerFlow = 500, kSecondsPerVisit = 3e-10;  // measured, rounded up
    const double flows =
        static_cast<double>(config.problem.ranks) * lanes * std::max(1., actions / 2);
    e.memory += flows * kBytesPerFlow;
    e.seconds += e.messages * flows * kSecondsPerVisit;
  }
  if (beyond_clock(command, config, r))
    e.impossible =
        "may take more than 106 days of simulated time, beyond 64 bits of picoseconds: use smaller "
        "parameters, fewer ranks or a smaller size";
  return e;
}

// A trace has its own ranks and sizes, and is no configuration that a record could describe.
void simulate_traces(const CLI::App& app, const SimulateCommand& command,
                     const std::vector<std::string>& paths) {
  const SweepOptions& o = command.sweep;
  constexpr std::string_view kUsed[] = {"algorithms", "--algorithm", "--model", "--machine",
                                        "--output"};
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && option->get_group() == app.get_option("--output")->get_group() &&
        std::find(std::begin(kUsed), std::end(kUsed), option->get_name()) == std::end(kUsed))
      fail(
          Blame::usage,
          fmt::format("file:{} is a trace, which has its own ranks and sizes, and gives a table of "
                      "times: leave out {}, and all options except the network's and --output",
                      paths.front(), option->get_name()));
  write_file(o.output, replay_traces(paths, command.model));
  say_written(o.output);
}

}  // namespace

void add_simulate(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("simulate", "Predict the time of algorithms on a network model");
  command->footer(
      "Examples:\n  arlab simulate all -p 2..1024 -s 1M\n"
      "  arlab simulate ring -p 64 -s 1K..64M --model alpha_beta --alpha 5us --beta 0.08ns\n"
      "  arlab simulate butterfly -p 1M -s 4K --model loggops --L 5us --o 1us --g 0.5us --G "
      "0.08ns\n"
      "  arlab simulate ring -p 64 --model fluid --topology torus,fat_tree:levels=2 --placement "
      "block,random\n"
      "  arlab simulate file:trace.goal --model loggops");
  const auto options = std::make_shared<SimulateCommand>();
  options->sweep.add_axes(*command, true);
  options->model.add(*command);
  command->add_flag("--critical-path", options->critical_path,
                    "Print to stderr which messages, additions and waits determine each time");
  command->add_flag("--no-symmetry", options->no_symmetry,
                    "Simulate all ranks, also where one rank stands for others");
  command->add_flag("--events", options->events,
                    "Handle every event in order of time, also where a faster engine applies");
  command->add_flag("--fastest", options->fastest,
                    "Find the fastest algorithm of each number of ranks, size and network: skip "
                    "those that take longer, without their time");
  command
      ->add_option_function<std::string>(
          "--links",
          [options](const std::string& text) {
            constexpr std::int64_t kMost = 1 << 20;
            const std::int64_t number = parse_count(text, "--links");
            if (number < 1 || number > kMost)
              fail(Blame::usage, fmt::format("--links is {}: give 1 to {}", number, kMost));
            options->links = static_cast<int>(number);
          },
          "Record the given number of most utilized links, with utilization over time")
      ->type_name("NUMBER");
  command
      ->add_option("--profile", options->profile_file,
                   "Simulate the calls of a program, from a file that libarlab_mpi.so wrote to "
                   "ARLAB_PROFILE")
      ->type_name("FILE");
  options->sweep.add_outputs(*command);
  options->sweep.add_share(*command);
  command->callback([options, command, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    o.progress = session.progress;
    std::vector<std::string> words = o.positional;
    words.insert(words.end(), o.algorithms.begin(), o.algorithms.end());
    if (const std::vector<std::string> traces = trace_paths(split_specs(words)); !traces.empty())
      return simulate_traces(*command, *options, traces);
    if (!options->profile_file.empty()) {
      if (!o.elements.empty() || !o.sizes.empty() || o.share || o.resume)
        fail(Blame::usage,
             "--profile gives the sizes and sums all of them: leave out --size, --elements, "
             "--share and --resume");
      options->profile.emplace(options->profile_file);
      o.sizes = options->profile->sizes();
      if (o.ranks.empty()) o.ranks = {std::to_string(options->profile->ranks())};
    }
    if (o.ranks.empty()) o.ranks = {"64"};
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1M"};
    const ModelOptions& m = options->model;
    const std::string model(m.parsed_model().name), machine = m.machine();
    options->values = m.values();
    if (options->links > 0 && !m.parsed_model().has_links)
      fail(Blame::usage, fmt::format("--links {}: model {} has no links: leave it out, or choose "
                                     "another --model",
                                     options->links, model));
    if (options->fastest && (options->critical_path || options->profile || o.plan))
      fail(Blame::usage,
           fmt::format("--fastest skips algorithms, and {} needs all of them: leave out one",
                       options->critical_path ? "--critical-path"
                       : o.plan               ? "--plan"
                                              : "--profile"));
    std::vector<Config> configs = o.configs(m.layouts());
    if (options->fastest)
      Fastest::sort(configs, [&](const Config& c) {
        const Cost all = predicted_cost(*c.algorithm, c.problem, c.segments);
        return static_cast<double>(all.messages) * simulated_part(*options, c);
      });
    session.exit_code = sweep(
        o, configs,
        [&](const Config& config) {
          return SimulateBody{.topology = m.topology_text(config.network, config.problem.ranks),
                              .model = model,
                              .machine = machine};
        },
        [&](const Config& config, const Record& r) {
          // Most of them turn out to be too slow before they turn out to be too big.
          return options->fastest ? Estimate{} : estimate(*options, config, r);
        },
        [&](const Config& config, Record& r) { evaluate(*options, config, r); });
    if (options->profile && !o.plan) say("\n{}", options->profile->table());
  });
}

}  // namespace arlab::bench
