// arlab simulate: predicts the time of an algorithm on a network model.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/idle_nics.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/results/result_file.hpp"
#include "bench/simulate/estimate.hpp"
#include "bench/simulate/evaluate.hpp"
#include "bench/simulate/nccl_choice.hpp"
#include "bench/simulate/replay_traces.hpp"
#include "bench/sweep/workers.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

constexpr const char *kCriticalPath = "--record critical_path", *kRankTimes = "--record rank_times";

// A trace has its own ranks and sizes, so that its records are of their own kind.
void simulate_traces(const CLI::App& app, const SimulateCommand& command,
                     const std::vector<std::string>& paths) {
  const SweepOptions& o = command.sweep;
  constexpr std::string_view kUsed[] = {"algorithms", "--network", "--output", "--json",
                                        "--record"};
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 &&
        (is_rare(*option) || option->get_group() == app.get_option("--output")->get_group()) &&
        std::find(std::begin(kUsed), std::end(kUsed), name) == std::end(kUsed))
      fail(
          Blame::usage,
          fmt::format("file:{} is a trace, which has its own ranks and sizes, and gives a table of "
                      "times: leave out {}, and all options except --network, --record "
                      "rank_times, --json and --output",
                      paths.front(), name));
  }
  if (command.disturbance.is_given())
    fail(Blame::usage, "a trace is simulated undisturbed: leave out --disturb");
  if (command.critical_path || command.links > 0)
    fail(Blame::usage, "of a trace only --record rank_times is known: leave out the others");
  check_outputs(o);
  check_can_write(o.json);
  const std::vector<TraceRun> runs = replay_traces(paths, command.model);
  write_records(o.json, o.command, runs);
  if (!o.shows_table()) return;
  write_file(o.output, table_of(runs, command.rank_times));
  say_written(o.output);
}

// NCCL's own collectives, by its cost model.
void simulate_nccl(const SimulateCommand& command) {
  SweepOptions o = command.sweep;
  if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1K..1Gx16"};
  check_outputs(o);
  check_can_write(o.json);
  const NcclEstimates estimates = estimate_nccl(o, command.model);
  write_records(o.json, o.command, estimates.rows);
  if (!o.shows_table()) return;
  write_file(o.output, table_of(estimates));
  say_written(o.output);
}

// Throws Error(usage) for an option that changes nothing for what is not simulated.
void refuse_others(const CLI::App& app, std::string_view what,
                   std::span<const std::string_view> used) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 &&
        std::find(used.begin(), used.end(), option->get_name()) == used.end())
      fail_without_effect(option->get_name(), what);
}

// Throws Error(usage) if two options exclude one another.
void refuse_together(const SimulateCommand& command) {
  const bool is_disturbed = command.disturbance.is_given();
  const std::pair<bool, const char*> needs_all[] = {{command.critical_path, kCriticalPath},
                                                    {command.rank_times, kRankTimes},
                                                    {command.sweep.plan, "--dry-run"},
                                                    {command.profile.has_value(), "--profile"},
                                                    {is_disturbed, "--disturb"}};
  for (const auto& [given, what] : needs_all)
    if (command.fastest && given)
      fail(Blame::usage, fmt::format("--fastest skips algorithms, and {} needs all of them: leave "
                                     "out one",
                                     what));
  const std::pair<bool, const char*> undisturbed[] = {{command.critical_path, kCriticalPath},
                                                      {command.rank_times, kRankTimes},
                                                      {command.links > 0, "--record links"},
                                                      {command.profile.has_value(), "--profile"}};
  for (const auto& [given, what] : undisturbed)
    if (is_disturbed && given)
      fail(Blame::usage,
           fmt::format("{} describes the undisturbed run: leave it out, or --disturb", what));
  for (const Algorithm* a : command.sweep.chosen_algorithms())
    if (a->in_network && command.disturbance.is_noisy() && command.sweep.is_named(*a))
      fail(Blame::usage,
           fmt::format("{} adds in switches, and random delays are of messages from rank to rank: "
                       "leave it out, or jitter, noise and loss of --disturb",
                       a->name));
}

// Each thread has its own proofs, networks and fastest times. What is printed, or added up over all
// configurations, needs one thread.
Parallel threads_of(const std::shared_ptr<SimulateCommand>& command, std::size_t configs) {
  SweepOptions& o = command->sweep;
  const bool in_order = command->critical_path || command->profile;
  if (in_order && o.jobs > 1)
    fail(Blame::usage, fmt::format("--jobs {} has no effect with {}: leave it out", o.jobs,
                                   command->profile ? "--profile" : kCriticalPath));
  if (o.jobs == 0) o.jobs = in_order || o.share || configs < 2 ? 1 : processors();
  Parallel parallel{.threads = o.jobs};
  parallel.another = [command] {
    const auto own = std::make_shared<SimulateCommand>(*command);
    return [own](const Config& config, Record& r) { evaluate(*own, config, r); };
  };
  if (command->fastest) parallel.together = Fastest::in_one_cell;
  return parallel;
}

void add_record(CLI::App& command, const std::shared_ptr<SimulateCommand>& options) {
  const auto read = [options](const std::string& word) {
    constexpr std::string_view kWhat[] = {"critical_path", "rank_times", "links=8"};
    constexpr std::string_view kLinks = "links=";
    if (word == kWhat[0])
      options->critical_path = true;
    else if (word == kWhat[1])
      options->rank_times = true;
    else if (word.starts_with(kLinks))
      options->links = checked_number(parse_count(word.substr(kLinks.size()), "--record links"),
                                      "--record links", 1, 1 << 20);
    else
      fail_unknown("record", word, kWhat);
  };
  as_list(command.add_option_function<std::vector<std::string>>(
              "--record",
              [read](const std::vector<std::string>& words) {
                for (const std::string& word : words) read(word);
              },
              "Record more: critical_path of messages, additions and waits, also to stderr; "
              "rank_times: how long each rank sends, receives, adds and waits (the table has means "
              "over ranks); links=8: the most utilized links, with utilization over time"))
      ->type_name("NAMES");
}

// What to record, and how.
void add_outcomes(CLI::App& command, const std::shared_ptr<SimulateCommand>& options) {
  add_record(command, options);
  command
      .add_option_function<std::string>(
          "--engine",
          [options](const std::string& text) {
            constexpr std::string_view kEngines[] = {"auto", "all_ranks", "events"};
            const auto found = std::ranges::find(kEngines, text);
            if (found == std::end(kEngines)) fail_unknown("engine", text, kEngines);
            options->engine = static_cast<SimulateCommand::Engine>(found - std::begin(kEngines));
          },
          "auto (default): the fastest exact one; all_ranks: simulate every rank, even if a few "
          "represent all; events: also every event in order of time")
      ->type_name("NAME");
  command.add_flag("--fastest", options->fastest,
                   "Find only the fastest algorithm per number of ranks, size and network");
  command
      .add_option("--profile", options->profile_file,
                  "Simulate the calls of a program, from the ARLAB_PROFILE file of libarlab_mpi.so")
      ->type_name("FILE");
}

// The sizes and ranks of a profile, or the usual ones.
void take_defaults(SimulateCommand& command) {
  SweepOptions& o = command.sweep;
  if (!command.profile_file.empty()) {
    if (!o.elements.empty() || !o.sizes.empty() || o.share || o.resume)
      fail(Blame::usage,
           "--profile gives the sizes and sums all of them: leave out --size, --elements, "
           "--jobs share and --resume");
    command.profile.emplace(command.profile_file);
    o.sizes = command.profile->sizes();
    if (o.ranks.empty()) o.ranks = {std::to_string(command.profile->ranks())};
  }
  o.take_defaults("64");
  if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1M"};
}

void start(const std::shared_ptr<SimulateCommand>& options, const CLI::App& command,
           Session& session) {
  SweepOptions& o = options->sweep;
  o.command = session.command;
  o.caller = session.caller;
  o.progress = session.progress;
  const std::vector<std::string> names = split_specs(o.algorithms);
  if (const std::vector<std::string> traces = trace_paths(names); !traces.empty())
    return simulate_traces(command, *options, traces);
  if (asks_for_nccl(names, options->model)) {
    constexpr std::string_view kUsed[] = {"algorithms", "--network", "--ranks", "--elements",
                                          "--size",     "--dtype",   "--op",    "--collective",
                                          "--output",   "--json"};
    refuse_others(command, "a network of messages, which nccl is not", kUsed);
    return simulate_nccl(*options);
  }
  take_defaults(*options);
  const ModelOptions& m = options->model;
  m.check_effects();
  const std::string model(m.parsed_model().name), machine = m.machine();
  options->values = m.values();
  if (options->links > 0 && !m.has_links())
    fail(Blame::usage,
         fmt::format("--record links={}: model {} has no links: leave it out, or choose "
                     "another model",
                     options->links, model));
  refuse_together(*options);
  options->disturbance.check(m.drifts());
  o.compares_on_links = m.parsed_model().has_links;
  std::vector<Config> configs = o.configs(m.layouts(!options->disturbance.is_noisy()));
  say_idle_nics(configs);
  if (options->fastest)
    Fastest::sort(configs, [&](const Config& c) {
      const Cost all = predicted_cost(*c.algorithm, c.problem, c.segments);
      return Fastest::Outlook{static_cast<double>(all.messages) * simulated_part(*options, c),
                              lower_bound(*options, c)};
    });
  session.exit_code = sweep(
      o, configs,
      [&](const Config& config) {
        return SimulateBody{.topology = m.topology_text(config.network, config.problem.ranks),
                            .model = model,
                            .machine = machine,
                            .disturbance = options->disturbance.text()};
      },
      [&](const Config& config, const Record& r) {
        // Most of them turn out to be too slow before they turn out to be too big.
        return options->fastest ? Estimate{} : estimate(*options, config, r);
      },
      [&](const Config& config, Record& r) { evaluate(*options, config, r); },
      threads_of(options, configs.size()));
  if (options->profile && !o.plan) say("\n{}", Lines{options->profile->table()});
}

}  // namespace

void add_simulate(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab simulate all -p 2..1024 -s 1M\n"
      "  arlab simulate ring -p 64 -s 1K..64M --network alpha_beta:alpha=5us,beta=0.08ns\n"
      "  arlab simulate butterfly -p 1M -s 4K --network loggops:L=5us,o=1us,g=0.5us,G=0.08ns\n"
      "  arlab simulate ring -p 64 --network torus,torus:placement=random,fat_tree:levels=2\n"
      "  arlab simulate native --network nccl:gpu=h100,version=2.28 -p 8..1024 -s 1K..1Gx16\n"
      "  arlab simulate file:trace.goal --network loggops");
  const auto options = std::make_shared<SimulateCommand>();
  options->sweep.add_axes(command, true);
  options->model.add(command);
  options->disturbance.add(command);
  add_outcomes(command, options);
  options->sweep.add_outputs(command);
  options->sweep.add_jobs(command, true);
  make_rare(command, {"--layout", "--engine", "--limit", "--jobs"});
  command.callback([options, &command, &session] { start(options, command, session); });
}

}  // namespace arlab::bench
