#include "bench/simulate/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/formats/machine_file.hpp"
#include "bench/simulate/duration.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::bench {
namespace {

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
  const auto element = static_cast<double>(config.element_size());
  const auto messages = static_cast<double>(r.claimed->messages);
  if (messages * message + static_cast<double>(r.claimed->elements) * element * byte <= kMax)
    return false;
  const double actions = std::max(command.rounds(config, RoundSizes::Of::root).actions,
                                  command.rounds(config, RoundSizes::Of::last_rank).actions);
  return static_cast<double>(r.claimed->rounds) * *r.lanes * actions *
             (message + static_cast<double>(r.bytes()) * byte) >
         kMax;
}

// Whether the first rounds show that ranks which behave alike do not stand for each other.
bool begins_with_all_ranks(const SimulateCommand& command, const Config& config) {
  const auto network = command.model.make(config.network, config.problem.ranks);
  return !simulator::simulate_classes(*config.algorithm, config.problem, config.element_size(),
                                      *network, {.segments = config.segments, .latest = Time{}});
}

}  // namespace

std::string needs_all_ranks(const SimulateCommand& command, const Record& r) {
  return fmt::format(
      "ranks behave alike, but rounds, sizes or ties need all of them, {:.3g} messages: raise "
      "--limit messages (now {:.3g}) to do it anyway",
      static_cast<double>(r.claimed->messages), command.sweep.max_messages);
}

double simulated_part(const SimulateCommand& command, const Config& config) {
  const bool has_links = command.model.parsed_model().has_links;
  if (command.critical_path || command.rank_times || command.disturbance.is_given() ||
      command.engine != SimulateCommand::Engine::automatic || (has_links && command.links > 0))
    return 1;
  const auto symmetry = simulator::symmetry_of(*config.algorithm, config.problem, config.segments);
  if (!symmetry) return 1;
  if (!has_links)
    return config.algorithm->lanes > 1
               ? 1
               : static_cast<double>(symmetry->classes()) / config.problem.ranks;
  constexpr Count kFew = 1'000'000;  // messages, which take less time than to compare routes
  if (predicted_cost(*config.algorithm, config.problem).messages < kFew) return 1;
  const auto network = command.model.make(config.network, config.problem.ranks);
  const auto classes =
      simulator::classes_on_links(*config.algorithm, config.problem, config.segments, *network);
  return classes ? 1. / classes->symmetry.shifts() : 1;
}

Time lower_bound(const SimulateCommand& command, const Config& config) {
  if (command.model.parsed_model().has_links) return {};
  const auto network = command.model.make(config.network, 1);
  return least_time(*network->uniform(), *config.algorithm, config.problem, config.segments,
                    config.element_size());
}

Estimate estimate(SimulateCommand& command, const Config& config, const Record& r) {
  constexpr double kBytesPerPort = 40, kBytesPerRank = 450, kBytesPerAction = 32,
                   kBytesPerFlow = 500, kRoundsPerSecond = 3e7;  // measured, rounded
  const double part = simulated_part(command, config);  // of the ranks, which stand for all
  Estimate e{.messages = static_cast<double>(r.claimed->messages) * part};
  const double actions = command.rounds(config, RoundSizes::Of::last_rank).actions;
  const int lanes = std::max(1, r.lanes.value_or(1));
  e.memory = static_cast<double>(config.problem.ranks) * lanes *
                 (kBytesPerRank + kBytesPerAction * actions) * part +
             (part < 1 ? kBytesPerPort * static_cast<double>(config.problem.ranks) : 0);
  const double flows =
      static_cast<double>(config.problem.ranks) * part * lanes * std::max(1., actions / 2);
  if (command.model.parsed_model().has_links) e.memory += flows * kBytesPerFlow;
  const double hops = packets_of(command, config, r);
  if (command.values.contains("mtu")) e.packets = hops;
  const double seconds =
      duration(command, config, r, {e.messages, hops, part, std::min(flows, e.messages), e.memory});
  const MachineSpread* const spread = command.model.spread();
  e.seconds = std::max(seconds, rounds_of_all(config, r) * part / kRoundsPerSecond);
  e.seconds *= command.disturbance.is_given() ? 1 + command.disturbance.runs
               : spread                       ? 1 + static_cast<double>(spread->refits.size())
                                              : 1;
  if (part < 1 && static_cast<double>(r.claimed->messages) > command.sweep.max_messages &&
      e.messages <= command.sweep.max_messages && begins_with_all_ranks(command, config))
    e.impossible = needs_all_ranks(command, r);
  if (beyond_clock(command, config, r))
    e.impossible =
        "may take more than 106 days of simulated time, beyond 64 bits of picoseconds: use smaller "
        "parameters, fewer ranks or a smaller size";
  return e;
}

}  // namespace arlab::bench
