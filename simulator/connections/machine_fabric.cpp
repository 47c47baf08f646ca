#include "simulator/connections/machine_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace arlab::simulator {
namespace {

constexpr double kSameRate = 1e-12;

bool same_node(const Topology& topology, NodeId one, Rank host) {
  return one == host ||
         (topology.groups() > 1 && topology.node(one).group == topology.group_of(host));
}

// The next host that is on another node; without nodes, the next one.
Rank next_elsewhere(const Topology& topology, Rank host) {
  Rank next = host;
  do next = (next + 1) % topology.hosts();
  while (next != host && same_node(topology, next, host));
  return next;
}

// The rate, without faults, of the link by which a message leaves its node: other GPUs of the node
// may pass it on before, over NVLink, and PCIe switches.
double port_rate(Router& router, const Topology& topology, Rank host) {
  double rate = 0;
  for (const LinkId id : router.route(host, next_elsewhere(topology, host)))
    if (const Link& link = topology.link(id); same_node(topology, link.from, host))
      rate = link.bandwidth * link.slower;
  return rate;
}

// The rate that most ports have, and the faster one of two as usual, of all hosts or a sample: the
// order of links changes nothing, nor which host has a fault.
double usual_port_rate(const Fabric& fabric) {
  constexpr Rank kMax = 64;
  const Rank hosts = fabric.topology.hosts(), stride = (hosts - 1) / kMax + 1;
  Router router(fabric.topology, fabric.routing, fabric.seed);
  std::vector<std::pair<double, int>> counts;  // a fault and its factor may leave rounding
  for (Rank host = 0; host < hosts; host += stride) {
    const double rate = port_rate(router, fabric.topology, host);
    const auto same = std::ranges::find_if(
        counts, [&](const auto& c) { return std::abs(c.first - rate) <= kSameRate * rate; });
    if (same == counts.end())
      counts.emplace_back(rate, 1);
    else
      ++same->second;
  }
  return std::ranges::max(counts, {}, [](const auto& c) { return std::pair(c.second, c.first); })
      .first;
}

// By how much faster the links are than the topology says.
double speedup(const Machine& machine, const Fabric& fabric) {
  if (machine.beta <= 0 || fabric.topology.hosts() < 2) return 1;
  return kPicosecondsPerSecond / machine.beta / usual_port_rate(fabric);
}

double closeness(const Machine& machine, const Fabric& fabric) {
  const double route = picoseconds(first_latency(fabric));
  return route > machine.latency ? machine.latency / route : 1;
}

Topology scaled(const Topology& topology, double bandwidth, double latency) {
  TopologyBuilder builder(topology, topology.spec());
  for (const Link& link : topology.links())
    builder.add_link(link.from, link.to,
                     {link.bandwidth * bandwidth, to_time(picoseconds(link.latency) * latency),
                      topology.tiers()[static_cast<std::size_t>(link.tier)], link.slower},
                     link.name);
  builder.structure(topology.structure());
  return std::move(builder).build();
}

}  // namespace

Time first_latency(const Fabric& fabric) {
  if (fabric.topology.hosts() < 2) return {};
  Router router(fabric.topology, fabric.routing, fabric.seed);
  return router.latency(router.route(0, 1));
}

std::shared_ptr<const Fabric> machine_fabric(const Machine& machine,
                                             std::shared_ptr<const Fabric> fabric) {
  const double faster = speedup(machine, *fabric), closer = closeness(machine, *fabric);
  if (std::abs(faster - 1) < kSameRate && closer == 1) return fabric;
  return std::make_shared<const Fabric>(Fabric{scaled(fabric->topology, faster, closer),
                                               fabric->routing, fabric->seed, fabric->host_of,
                                               fabric->flows});
}

}  // namespace arlab::simulator
