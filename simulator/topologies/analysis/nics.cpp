#include "simulator/topologies/analysis/nics.hpp"

#include <algorithm>
#include <vector>

namespace arlab::simulator {
namespace {

constexpr std::int32_t kOutside = -1;

// The group of each node: that of a host, and of a switch all of whose neighbors are hosts of it.
std::vector<std::int32_t> groups_of_nodes(const Topology& topology) {
  constexpr std::int32_t kUnknown = -2;
  std::vector<std::int32_t> group(static_cast<std::size_t>(topology.nodes()), kUnknown);
  for (Rank host = 0; host < topology.hosts(); ++host) group[index(host)] = topology.group_of(host);
  for (const Link& link : topology.links()) {
    if (topology.is_host(link.from)) continue;
    std::int32_t& its = group[index(link.from)];
    const std::int32_t other = topology.is_host(link.to) ? topology.group_of(link.to) : kOutside;
    its = its == kUnknown || its == other ? other : kOutside;
  }
  return group;
}

}  // namespace

Rank nics_of_group(const Topology& topology) {
  if (topology.groups() < 2) return 1;
  const std::vector<std::int32_t> group = groups_of_nodes(topology);
  std::vector<Rank> nics(index(topology.groups()));
  std::vector<bool> is_joined(nics.size());
  for (const Link& link : topology.links()) {
    const std::int32_t from = group[index(link.from)], to = group[index(link.to)];
    if (from < 0) continue;
    if (from == to)
      is_joined[index(from)] = true;
    else if (!topology.is_host(link.to))
      ++nics[index(from)];
  }
  if (std::find(is_joined.begin(), is_joined.end(), false) != is_joined.end()) return 1;
  return std::max<Rank>(1, *std::min_element(nics.begin(), nics.end()));
}

}  // namespace arlab::simulator
