#include "bench/simulate/duration.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

// All numbers here are measured on one core of an AMD EPYC, and rounded: between the algorithms
// that are fast in a model and those that are slow.

double value(const SimulateCommand& command, const char* parameter) {
  const auto found = command.values.find(parameter);
  return found == command.values.end() ? 0 : found->second;
}

bool is_connections(const SimulateCommand& command) { return command.values.contains("backlog"); }

double average_route(const SimulateCommand& command, const Config& config) {
  return simulator::average_route(*command.model.fabric(config.network, config.problem.ranks));
}

// Whether each rank sends one message per round, so that a sweep may take all ranks together.
bool is_exchange(const Config& config, const Record& r) {
  return r.claimed->messages == r.claimed->rounds * Count{config.problem.ranks};
}

bool may_sweep(const SimulateCommand& command, const Record& r) {
  return command.engine != SimulateCommand::Engine::events && !command.critical_path &&
         !command.rank_times && r.lanes.value_or(1) == 1;
}

// Messages per second of models without links.
double rate_of_ports(const SimulateCommand& command, const Config& config, const Record& r,
                     const SimulatedLoad& load) {
  constexpr double kCache = 8e6;  // bytes of state: with more, events take longer
  const bool fits = load.memory < kCache, is_loggops = command.values.contains("S");
  if (load.part < 1) return 1e7;
  const bool is_swept = may_sweep(command, r) && is_exchange(config, r);
  if (command.disturbance.any()) {
    if (is_loggops) return is_swept ? 1.2e7 : fits ? 1e7 : 2.4e6;
    return fits ? 7e6 : 1.6e6;
  }
  if (is_swept) return 4e7;
  if (is_loggops) return fits ? 1.2e7 : 4e6;
  return fits ? 9e6 : 2.5e6;
}

}  // namespace

double packets_of(const SimulateCommand& command, const Config& config, const Record& r) {
  const double messages = static_cast<double>(r.claimed->messages);
  const double bytes =
      static_cast<double>(r.claimed->elements) * static_cast<double>(config.element_size());
  if (is_connections(command)) {
    constexpr double kMtu = 1500, kMost = 256;  // bytes of a packet; packets of a message
    const double each = messages > 0 ? std::ceil(bytes / messages / kMtu) : 0;
    return messages * std::clamp(each, 1., kMost) * average_route(command, config);
  }
  const double mtu = value(command, "mtu");
  return mtu < 1 ? 0 : std::max(bytes / mtu, messages) * average_route(command, config);
}

double duration(const SimulateCommand& command, const Config& config, const Record& r,
                const SimulatedLoad& load) {
  if (!command.model.parsed_model().has_links)
    return load.messages / rate_of_ports(command, config, r, load);
  if (is_connections(command)) {
    constexpr double kMany = 16384;  // messages: with more, their queue is slow
    return load.messages / 1.5e6 + load.packets / (load.in_flight > kMany ? 2e6 : 5e6);
  }
  if (load.packets > 0) return load.messages / 4e6 + load.packets / 8e6;
  const double links = average_route(command, config);
  const bool is_crossbar = links <= 2;
  if (is_crossbar && may_sweep(command, r) && is_exchange(config, r) && !command.disturbance.any())
    return load.messages / 2e7;
  return load.messages * (2e-7 + 1.2e-7 * links);
}

}  // namespace arlab::bench
