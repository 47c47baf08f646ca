// What limits a collective on a network, in words.
#include <algorithm>
#include <cmath>

#include "algorithms/base/text.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

std::string gigabytes(double bytes_per_second) {
  return short_number(std::round(bytes_per_second / 1e3) / 1e6) + " GB/s";
}

std::string counted(std::int64_t count, const std::string& noun) {
  return concat(count, " ", noun, count == 1 ? "" : "s");
}

// "h0", "h0 and h5", or "h0 ... h7".
std::string names(const std::vector<NodeId>& hosts, const Topology& topology) {
  const std::string first = topology.node(hosts.front()).name,
                    last = topology.node(hosts.back()).name;
  if (hosts.size() == 1) return first;
  return first + (hosts.size() == 2 ? " and " : " ... ") + last;
}

// What crosses from `nodes` to the other nodes: the hosts of the smaller side, and the links.
std::string crossing(const NetworkBounds& bounds, const Topology& topology,
                     const std::vector<bool>& nodes, std::string_view into,
                     std::string_view out_of) {
  std::vector<NodeId> inside, outside;
  for (const NodeId host : bounds.graph.hosts)
    (nodes[index(host)] ? inside : outside).push_back(host);
  std::int64_t links = 0;
  double rate = 0;
  for (const Link& link : topology.links())
    if (nodes[index(link.from)] && !nodes[index(link.to)] &&
        usable_among(topology, link, bounds.graph.is_host)) {
      ++links;
      rate += link.bandwidth;
    }
  const bool small_outside = outside.size() <= inside.size();
  const auto& small = small_outside ? outside : inside;
  return concat(small_outside ? into : out_of, " ", names(small, topology), " through ",
                counted(links, "link"), ", ", gigabytes(rate));
}

}  // namespace

std::string all_gather_limit(const NetworkBounds& bounds, const Topology& topology) {
  const auto& nodes = bounds.all_gather.nodes;
  std::int64_t shards = 0;
  for (const NodeId host : bounds.graph.hosts) shards += nodes[index(host)] ? 1 : 0;
  return concat(shards, " of ", counted(bounds.hosts(), "shard"), " ",
                crossing(bounds, topology, nodes, "into", "out of"));
}

std::string reduce_scatter_limit(const NetworkBounds& bounds, const Topology& topology) {
  const std::vector<bool>& receiving = bounds.reduce_scatter.nodes;
  std::int64_t shards = 0;
  for (const NodeId host : bounds.graph.hosts) shards += receiving[index(host)] ? 1 : 0;
  std::vector<bool> sending;
  for (const bool receives : receiving) sending.push_back(!receives);
  return concat(shards, " of ", counted(bounds.hosts(), "shard"), " ",
                crossing(bounds, topology, sending, "into", "out of"));
}

std::string allreduce_limit(const NetworkBounds& bounds, const Topology& topology) {
  const AllreduceBound& b = bounds.allreduce;
  const auto k = static_cast<std::int64_t>(b.groups.size());
  const bool into = b.crossing == Crossing::into || b.crossing == Crossing::into_one;
  const std::string way = into ? "into " : "out of ";
  if (b.crossing == Crossing::into_one || b.crossing == Crossing::out_of_one)
    return concat("the whole vector ", way, names(b.groups[0], topology), ", at most ",
                  gigabytes(bounds.allreduce_rate()));
  const std::string rate = gigabytes(bounds.allreduce_rate() * static_cast<double>(2 * (k - 1)));
  const auto size = b.groups[0].size();
  const bool even = std::all_of(b.groups.begin(), b.groups.end(),
                                [&](const auto& group) { return group.size() == size; });
  const std::string what =
      even && size == 1
          ? concat("the ", k, " hosts")
          : concat(k, " groups of ", even ? concat(size, " hosts (") : std::string("hosts ("),
                   names(b.groups[0], topology), ", ...)");
  return concat(2 * (k - 1), " vectors ", way, what, ", together at most ", rate);
}

}  // namespace arlab::simulator
