#include "bench/simulate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/simulate/estimate.hpp"
#include "bench/simulate/median_draw.hpp"
#include "bench/study/intervals/interval.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "simulator/analysis/rank_times.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/link_history.hpp"

namespace arlab::bench {
namespace {

using PathKind = simulator::CriticalStep::Kind;
constexpr PathKind kPathKinds[] = {PathKind::message, PathKind::send, PathKind::receive,
                                   PathKind::reduce, PathKind::wait};

// Prints the critical path in words, to stderr.
void print_critical_path(const simulator::CriticalPath& path, const Record& r) {
  Count messages = 0;
  for (const simulator::CriticalStep& s : path.steps)
    messages += s.kind == PathKind::message ? 1 : 0;
  std::string parts;
  for (const PathKind kind : kPathKinds)
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

void add_critical_path(const simulator::CriticalPath& path, Record& r) {
  print_critical_path(path, r);
  for (const PathKind kind : kPathKinds)
    r.as<SimulateBody>().critical_path_us[std::string(name(kind))] = microseconds(path.spent(kind));
}

// Throws Error(usage) if the trace would take too much memory: about 150 bytes per message.
void check_traced(const SimulateCommand& command, const Record& r) {
  constexpr Count kMaxTraced = 2'000'000;  // messages
  if (r.claimed->messages > kMaxTraced)
    fail(Blame::usage,
         fmt::format("{}: {} messages exceed the limit of {}: use fewer ranks",
                     command.critical_path ? "--record critical_path" : "--record rank_times",
                     with_commas(r.claimed->messages), with_commas(kMaxTraced)));
}

std::string longer_than(const Fastest::Best& best) {
  return fmt::format("takes longer than {} of {}", show_time(microseconds(best.time)),
                     best.algorithm);
}

// Whether each run has other delays of the machine.
bool has_drifting_runs(const SimulateCommand& command) {
  return command.disturbance.runs > 1 && command.model.drifts();
}

// Simulates runs that differ in their random delays, also in those of the machine if there are
// several; else these are `draw`. Returns the time of each.
std::vector<double> disturbed_us(const SimulateCommand& command, const Config& config,
                                 const Disturbance& disturbance, simulator::SimulateOptions options,
                                 int draw, Record& r) {
  const Rank ranks = config.problem.ranks;
  const std::vector<Time> starts = disturbance.starts(ranks);
  options.starts = starts;
  const bool drifts = has_drifting_runs(command);
  std::vector<double> us;
  for (int run = 0; run < disturbance.runs; ++run) {
    const auto network =
        disturbance.disturbed(command.model.make(config.network, ranks, drifts ? run : draw),
                              command.model.fabric(config.network, ranks).get(), ranks, run);
    const simulator::SimulationResult outcome = simulator::simulate(
        *config.algorithm, config.problem, config.element_size(), *network, options);
    us.push_back(microseconds(outcome.finish));
    r.as<SimulateBody>().engine = name(outcome.engine);
  }
  return us;
}

// What takes longer by the delays: without them, another job's traffic is there all the same, and
// so are the delays of the machine in each run.
double undelayed_us(const SimulateCommand& command, const Config& config,
                    const simulator::SimulateOptions& options, int draw, Record& r) {
  const Disturbance& all = command.disturbance;
  const bool drifts = has_drifting_runs(command);
  const bool keeps_traffic = !all.traffic.empty() && all.delay() > Time{};
  if (!keeps_traffic && !drifts) return *r.as<SimulateBody>().modelled_us;
  Disturbance rest;
  if (keeps_traffic) rest.traffic = all.traffic;
  rest.runs = drifts ? all.runs : 1;
  return summarize(disturbed_us(command, config, rest, options, draw, r)).mean;
}

// The time without the delays becomes a key of its own, beside the mean of those with them. Runs
// that only the machine's own delays disturb have a median, as without them.
void disturb(const SimulateCommand& command, const Config& config,
             const simulator::SimulateOptions& options, int draw, Record& r) {
  auto& body = r.as<SimulateBody>();
  const Disturbance& disturbance = command.disturbance;
  if (disturbance.any()) body.undisturbed_us = undelayed_us(command, config, options, draw, r);
  const Summary runs = summarize(disturbed_us(command, config, disturbance, options, draw, r));
  if (runs.samples > 1) body.runs_us = runs;
  body.modelled_us = disturbance.any() ? runs.mean : runs.median;
  if (const Time delay = disturbance.delay(); delay > Time{}) body.delay_us = microseconds(delay);
  if (disturbance.jitter > Time{}) body.most_delays = static_cast<double>(r.claimed->messages);
}

// Compares what was sent with the claim.
void add_sent(const Cost& sent, Record& r) {
  r.sent = sent;
  if (!r.has_formula || sent == *r.claimed) return;
  r.wrong = 1;
  say("error: {} on {} claims {} messages, {} elements and {} rounds, but its program has "
      "{}, {} and {}: see `arlab count {} -p {}`\n",
      r.algorithm, show_plural(r.problem.ranks, "rank"), r.claimed->messages, r.claimed->elements,
      r.claimed->rounds, sent.messages, sent.elements, sent.rounds, r.algorithm, r.problem.ranks);
}

// Whether the configuration is not simulated, with the reason in the record.
bool is_left_out(SimulateCommand& command, const Config& config, const Fastest::Best* best,
                 Record& r) {
  if (const std::string& why = command.proofs.refuted(config); !why.empty()) {
    r.skipped = why;
    r.wrong = 1;
  } else if (std::string no = nvswitch_refusal(command.model, config); !no.empty()) {
    r.skipped = std::move(no);
  } else if (best && lower_bound(command, config) > best->time) {
    r.skipped = longer_than(*best);
  } else if (best) {
    std::string too_much = too_big(command.sweep, estimate(command, config, r));
    if (!too_much.empty()) r.skipped = std::move(too_much);
  }
  return r.skipped.has_value();
}

// Simulates the configuration. Returns nothing, with the reason in the record, if all ranks would
// be too many.
std::optional<simulator::SimulationResult> simulated(const SimulateCommand& command,
                                                     const Config& config,
                                                     simulator::Network& network,
                                                     const simulator::SimulateOptions& options,
                                                     Record& r) {
  const auto messages = static_cast<double>(r.claimed->messages);
  if (messages <= command.sweep.max_messages || simulated_part(command, config) == 1)
    return simulator::simulate(*config.algorithm, config.problem, config.element_size(), network,
                               options);
  auto of_classes = simulator::simulate_classes(*config.algorithm, config.problem,
                                                config.element_size(), network, options);
  if (!of_classes) r.skipped = needs_all_ranks(command, r);
  return of_classes;
}

// The interval of a prediction on a calibrated machine, from its refits, by the same random delays.
void add_interval(SimulateCommand& command, const Config& config, int draw,
                  simulator::SimulateOptions options, Record& r) {
  const MachineSpread* const spread = command.model.spread();
  if (!spread) return;
  options.trace = nullptr;
  options.latest = simulator::kNever;
  std::vector<double> us;
  for (const simulator::Machine& refit : spread->refits) {
    const auto network = command.model.make(config.network, config.problem.ranks, draw, &refit);
    const auto outcome = simulated(command, config, *network, options, r);
    if (!outcome) return;
    us.push_back(microseconds(outcome->finish));
  }
  set_interval(*spread, std::move(us), r);
}

// Which draw of the model's random delays is the one to show.
int draw_of(const SimulateCommand& command, const Config& config, Time latest, const Record& r) {
  const bool too_many = static_cast<double>(r.claimed->messages) > command.sweep.max_messages;
  if (command.model.draws() == 1 || too_many) return 0;
  return median_draw(command.model, config, {.segments = config.segments, .latest = latest}).number;
}

}  // namespace

void evaluate(SimulateCommand& command, const Config& config, Record& r) {
  const bool is_traced = command.critical_path || command.rank_times;
  if (is_traced) check_traced(command, r);
  Fastest::Best* const best = command.fastest ? &command.cells.best(config) : nullptr;
  if (is_left_out(command, config, best, r)) return;
  const Time latest = best ? best->time : simulator::kNever;
  const int draw = draw_of(command, config, latest, r);
  const auto network = command.model.make(config.network, config.problem.ranks, draw);
  simulator::LinkHistory history;
  if (command.links > 0) network->watch_links(history);
  simulator::Trace trace;
  const simulator::SimulateOptions options{
      .segments = config.segments,
      .symmetry = command.engine == SimulateCommand::Engine::automatic,
      .sweep = command.engine != SimulateCommand::Engine::events,
      .latest = latest,
      .trace = is_traced ? &trace : nullptr};
  const auto outcome = simulated(command, config, *network, options, r);
  if (!outcome) return;
  if (outcome->stopped) {
    r.skipped = longer_than(*best);
    return;
  }
  const Time finish = outcome->finish;
  if (best && finish < best->time) *best = {finish, std::string(r.algorithm)};
  add_sent(outcome->sent, r);
  auto& body = r.as<SimulateBody>();
  body.modelled_us = microseconds(finish);
  body.engine = name(outcome->engine);
  if (command.critical_path) add_critical_path(simulator::critical_path(trace, finish), r);
  if (command.rank_times)
    body.rank_times = simulator::rank_times(trace, config.problem.ranks, finish);
  body.bound_us = command.model.bound(config.network, config.problem, config.element_size());
  if (!command.disturbance.any()) add_interval(command, config, draw, options, r);
  if (command.profile) command.profile->add(r);
  constexpr std::size_t kNamed = 3;  // links in a record by default
  if (command.disturbance.is_given())
    disturb(command, config, options, draw, r);
  else if (command.links > 0)
    body.links =
        most_utilized_links(*network, finish, static_cast<std::size_t>(command.links), &history);
  else
    body.links = most_utilized_links(*network, finish, kNamed);
}

}  // namespace arlab::bench
