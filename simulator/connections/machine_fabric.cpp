#include "simulator/connections/machine_fabric.hpp"

#include <cmath>
#include <utility>

namespace arlab::simulator {
namespace {

// By how much faster the links are than the topology says.
double speedup(const Machine& machine, const Topology& topology) {
  if (machine.beta <= 0 || topology.links().empty()) return 1;
  return kPicosecondsPerSecond / machine.beta / topology.links().front().bandwidth;
}

// The measured latency is that of the route between the first two ranks, and more.
double closeness(const Machine& machine, const Fabric& fabric) {
  if (fabric.host_of.size() < 2) return 1;
  Router router(fabric.topology, fabric.routing, fabric.seed);
  const double route =
      picoseconds(router.latency(router.route(fabric.host_of[0], fabric.host_of[1])));
  return route > machine.latency ? machine.latency / route : 1;
}

Topology scaled(const Topology& topology, double bandwidth, double latency) {
  TopologyBuilder builder(topology, topology.spec());
  for (const Link& link : topology.links())
    builder.add_link(link.from, link.to,
                     {link.bandwidth * bandwidth, to_time(picoseconds(link.latency) * latency),
                      topology.tiers()[static_cast<std::size_t>(link.tier)]},
                     link.name);
  builder.structure(topology.structure());
  return std::move(builder).build();
}

}  // namespace

std::shared_ptr<const Fabric> machine_fabric(const Machine& machine,
                                             std::shared_ptr<const Fabric> fabric) {
  constexpr double kRounding = 1e-12;
  const double faster = speedup(machine, fabric->topology), closer = closeness(machine, *fabric);
  if (std::abs(faster - 1) < kRounding && closer == 1) return fabric;
  return std::make_shared<const Fabric>(Fabric{scaled(fabric->topology, faster, closer),
                                               fabric->routing, fabric->seed, fabric->host_of,
                                               fabric->flows});
}

}  // namespace arlab::simulator
