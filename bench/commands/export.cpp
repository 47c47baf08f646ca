// arlab export: writes a schedule as JSON, MSCCL XML, a SimGrid or a GOAL trace, or a simulated run
// as a Perfetto trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/stop.hpp"
#include "algorithms/round_limit.hpp"
#include "bench/commands/commands.hpp"
#include "bench/formats/goal.hpp"
#include "bench/formats/msccl/msccl.hpp"
#include "bench/formats/msccl/xml.hpp"
#include "bench/formats/schedule_json.hpp"
#include "bench/formats/ti_trace.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/results/link_utilization.hpp"
#include "bench/results/record.hpp"
#include "bench/sweep/sweep.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "simulator/engine/simulate.hpp"
#include "training/io/json.hpp"
#include "training/telemetry/trace_events.hpp"

namespace arlab::bench {
namespace {

struct ExportCommand {
  SweepOptions sweep;
  ModelOptions model;
  std::string format = "json", file = "-";
};

// The critical path, as one more process after the ranks.
void add_critical_path(training::TraceEvents& events, const simulator::CriticalPath& path,
                       Rank ranks) {
  events.process(ranks, "critical path");
  for (const simulator::CriticalStep& s : path.steps) {
    if (s.begin == s.end) continue;
    const bool message = s.kind == simulator::CriticalStep::Kind::message;
    events.span({ranks, 0},
                message ? fmt::format("message {} to {}", s.rank, s.to)
                        : fmt::format("{} on {}", name(s.kind), s.rank),
                microseconds(s.begin), microseconds(s.end - s.begin),
                {{"round", s.round}, {"lane", s.lane}});
  }
}

// The utilization of the most utilized links over time, as counters of one more process.
void add_links(training::TraceEvents& events, const LinkUtilization& all, Rank process) {
  events.process(process, "links, the most utilized first");
  for (const LinkUtilization::Link& link : all.links)
    for (std::size_t i = 0; i <= link.by_step.size(); ++i)
      events.counter(process, link.load.name, static_cast<double>(i) * *all.step_us,
                     "utilization %", i < link.by_step.size() ? 100 * link.by_step[i] : 0);
}

// One process per rank with threads send, receive and reduce; arrows are messages, counters links.
Json trace_json(const simulator::Trace& trace, const simulator::CriticalPath& path,
                const std::optional<LinkUtilization>& links, const Config& config,
                const ModelOptions& model) {
  training::TraceEvents events;
  constexpr const char* kThreads[] = {"send", "receive", "reduce"};
  for (Rank r = 0; r < config.problem.ranks; ++r) {
    events.process(r, fmt::format("rank {}", r));
    for (int t = 0; t < 3; ++t) events.thread(r, t, kThreads[t]);
  }
  for (const simulator::Span& s : trace.spans) {
    stop_if_asked();
    const training::TraceEvents::Where where{s.rank, static_cast<int>(s.kind)};
    const bool sends = s.kind == simulator::Span::Kind::send;
    const std::string name = sends ? fmt::format("to {}", s.peer)
                             : s.kind == simulator::Span::Kind::receive
                                 ? fmt::format("from {}", s.peer)
                                 : fmt::format("add from {}", s.peer);
    events.span(where, name, microseconds(s.begin), microseconds(s.end - s.begin),
                {{"bytes", s.bytes}, {"round", s.round}, {"lane", s.lane}});
    if (s.message >= 0)
      events.arrow(sends ? training::TraceEvents::End::start : training::TraceEvents::End::finish,
                   where, s.message, microseconds(s.begin));
  }
  add_critical_path(events, path, config.problem.ranks);
  if (links) add_links(events, *links, config.problem.ranks + 1);
  return std::move(events).json(
      {{"algorithm", config.algorithm->name},
       {"ranks", config.problem.ranks},
       {"elements", config.problem.elements},
       {"topology", model.topology_text(config.network, config.problem.ranks)},
       {"model", model.parsed_model().name},
       {"machine", model.machine()}});
}

// Throws if the algorithm adds in switches, and the format has no such transfers.
void check_switches(const Config& config, std::string_view format) {
  if (config.algorithm->in_network && format != "json" && format != "perfetto")
    fail(Blame::usage,
         fmt::format("{} adds in switches, but --format {} has messages from one rank to one other "
                     "only: use json or perfetto",
                     config.algorithm->name, format));
}

// Notes what the runtimes cannot do.
std::string msccl_text(const Config& config) {
  const MscclProgram program = msccl_program(config);
  if (config.segments > 1 && !config.algorithm->pipelined)
    say("note: MSCCL has no order between channels: the segments, which leave one after another "
        "in arlab simulate, work at once there\n");
  for (const std::string& known : runtime_limits(program)) say("note: {}\n", known);
  return to_xml(program);
}

void export_one(const ExportCommand& command) {
  const std::string_view formats[] = {"goal", "json", "msccl", "perfetto", "ti"};
  if (std::find(std::begin(formats), std::end(formats), command.format) == std::end(formats))
    fail_unknown("format", command.format, formats);
  check_writable(command.file);
  command.model.check_effects();  // also throws for a value that is not one, whatever the format
  if (command.format != "perfetto")
    for (const auto& [name, text] : command.model.given)
      if (!text.empty())
        say("note: {} has no effect on --format {}, which holds no times\n", name, command.format);
  const std::vector<Config> configs = command.sweep.configs(command.model.layouts());
  if (configs.size() != 1)
    fail(Blame::usage, fmt::format("an export needs one configuration, not {}: give one "
                                   "algorithm, one -p, one size, one network, one --op, one -t",
                                   configs.size()));
  const Config& config = configs.front();
  if (const std::string why = unsupported(*config.algorithm, config.problem); !why.empty())
    fail(Blame::usage, why + ": choose another algorithm or --collective");
  check_switches(config, command.format);
  const Record planned = record_of(CountBody{}, config);
  const double events =
      std::max({static_cast<double>(planned.claimed->messages), rounds_of_all(config, planned),
                static_cast<double>(config.problem.ranks)});
  const double limit = command.format == "ti" || command.format == "goal" ? 1e7 : 2e6;
  if (events > limit)
    fail(Blame::usage,
         fmt::format("{} messages of {} make a file too large to open: use fewer ranks",
                     with_commas(planned.claimed->messages),
                     show_plural(config.problem.ranks, "rank")));
  std::string text;
  if (command.format == "json") {
    text = training::json_text(schedule_json(config)) + "\n";
  } else if (command.format == "ti") {
    text = ti_trace(config);
  } else if (command.format == "goal") {
    text = goal_trace(config);
  } else if (command.format == "msccl") {
    text = msccl_text(config);
  } else {
    constexpr std::size_t kTracks = 32;  // of links
    simulator::Trace trace;
    simulator::LinkHistory history;
    const auto network = command.model.make(config.network, config.problem.ranks);
    network->watch_links(history);
    const simulator::SimulationResult outcome =
        simulator::simulate(*config.algorithm, config.problem, config.element_size(), *network,
                            {.segments = config.segments, .trace = &trace});
    const auto links = most_utilized_links(*network, outcome.finish, kTracks, &history);
    text = training::json_text(trace_json(trace, simulator::critical_path(trace, outcome.finish),
                                          links, config, command.model)) +
           "\n";
  }
  stop_if_asked();
  write_file(command.file, text);
  if (command.file == "-") return;
  say("wrote {}{}\n", command.file,
      command.format == "perfetto" ? " (open it in ui.perfetto.dev)" : "");
}

}  // namespace

void add_export(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab export ring -p 4 --format json\n"
      "  arlab export ring -p 8 --format msccl -o ring.xml\n"
      "  arlab export tree -p 16 -s 1M --format perfetto -o trace.json\n"
      "  arlab export butterfly -p 16 -s 1M --format ti -o trace.txt");
  const auto options = std::make_shared<ExportCommand>();
  options->sweep.add_axes(command, true);
  command.get_option("algorithms")->description("Algorithm, as ring (default) or butterfly");
  options->model.add(command);
  command
      .add_option(
          "-f,--format", options->format,
          "json (the schedule, default), msccl (the same as XML for msccl and RCCL), ti (for "
          "SimGrid's smpirun -replay), goal (for LogGOPSim) or perfetto (a simulated run)")
      ->type_name("NAME");
  command.add_option("-o,--output", options->file, "File to write (default -, stdout)")
      ->type_name("FILE");
  make_rare(command, {"--layout"});
  hide(command, {"--op"});  // accepted, but no format has it
  command.callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    o.caller = session.caller;
    if (o.algorithms.empty()) o.algorithms = {"ring"};
    o.take_defaults("4");
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1M"};
    export_one(*options);
  });
}

}  // namespace arlab::bench
