#include "simulator/topologies/analysis/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "simulator/topologies/analysis/bisection.hpp"
#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

constexpr double kMaxWork = 2e7;  // links examined for distances before targets are sampled

std::vector<Rank> all_or(const Topology& topology, std::span<const Rank> host_of) {
  if (!host_of.empty()) return {host_of.begin(), host_of.end()};
  std::vector<Rank> hosts(static_cast<std::size_t>(topology.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

// The distances to a host follow from the distances to its switch if it has a single link. So hosts
// are grouped by switch.
void add_distances(const Topology& topology, Metrics& m) {
  std::vector<std::vector<Rank>> hosts_at(static_cast<std::size_t>(topology.nodes()));
  for (Rank h = 0; h < topology.hosts(); ++h) {
    const LinkId last = only_link_to(topology, h);
    hosts_at[static_cast<std::size_t>(last < 0 ? h : topology.link(last).from)].push_back(h);
  }
  std::erase_if(hosts_at, [](const auto& hosts) { return hosts.empty(); });
  const double max = std::max(1., kMaxWork / static_cast<double>(m.links + m.hosts));
  const auto stride =
      static_cast<std::size_t>(std::ceil(static_cast<double>(hosts_at.size()) / max));
  m.sampled = stride > 1;

  double hops = 0, pairs = 0;
  for (std::size_t i = 0; i < hosts_at.size(); i += stride) {
    const LinkId last = only_link_to(topology, hosts_at[i][0]);
    const NodeId goal = last < 0 ? hosts_at[i][0] : topology.link(last).from;
    const auto distance = distances_to(topology, goal);
    for (const Rank target : hosts_at[i]) {
      const LinkId only = only_link_to(topology, target);
      for (Rank source = 0; source < m.hosts; ++source) {
        Distance d = distance[static_cast<std::size_t>(source)];
        if (source == target || !d.reachable()) continue;
        if (only >= 0) d = d + topology.link(only);
        m.diameter = std::max(m.diameter, d.hops);
        m.longest_latency = std::max(m.longest_latency, d.latency);
        hops += d.hops;
        ++pairs;
      }
    }
  }
  m.average_distance = pairs > 0 ? hops / pairs : 0;
}

void add_tiers(const Topology& topology, Metrics& m) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (const std::string& name : topology.tiers())
    m.tiers.push_back({name, 0, kNone, 0, Time::max(), Time{}});
  for (const Link& link : topology.links()) {
    TierMetrics& tier = m.tiers[static_cast<std::size_t>(link.tier)];
    ++tier.links;
    tier.slowest = std::min(tier.slowest, link.bandwidth);
    tier.fastest = std::max(tier.fastest, link.bandwidth);
    tier.shortest = std::min(tier.shortest, link.latency);
    tier.longest = std::max(tier.longest, link.latency);
  }
  std::erase_if(m.tiers, [](const TierMetrics& tier) { return tier.links == 0; });
}

std::string first_and_last(const Topology& topology, std::span<const Rank> hosts) {
  const std::string first = topology.node(hosts.front()).name;
  return hosts.size() == 1 ? first : first + " ... " + topology.node(hosts.back()).name;
}

}  // namespace

Metrics metrics(const Topology& topology, std::span<const Rank> host_of) {
  Metrics m;
  m.hosts = topology.hosts();
  m.switches = topology.nodes() - topology.hosts();
  m.links = static_cast<Count>(topology.links().size());
  add_distances(topology, m);
  add_tiers(topology, m);
  if (const auto disconnection = find_disconnection(topology))
    m.disconnection = to_string(*disconnection, topology);
  const std::vector<Rank> hosts = all_or(topology, host_of);
  if (const std::size_t half = hosts.size() / 2; half > 0) {
    const Bisection least = bisection(topology, hosts);
    m.bisection = least.most;
    m.bisection_bound = least.least;
    m.first_half = least.in_order;
    m.per_host = m.first_half / static_cast<double>(half);
    m.halves = first_and_last(topology, std::span(hosts).first(half)) + " to " +
               first_and_last(topology, std::span(hosts).subspan(half));
  }
  return m;
}

}  // namespace arlab::simulator
