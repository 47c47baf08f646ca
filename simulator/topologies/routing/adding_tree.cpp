#include "simulator/topologies/routing/adding_tree.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

// For each node that switches which add lead to: the next node on the way to the middle.
struct Reach {
  std::vector<NodeId> next;  // -1: none
  std::vector<int> hops;     // -1: not reached
};

Reach reach_from(const Topology& topology, const LinkIndex& links, NodeId middle) {
  Reach reach{std::vector<NodeId>(index(topology.nodes()), -1),
              std::vector<int>(index(topology.nodes()), -1)};
  reach.hops[index(middle)] = 0;
  std::vector<NodeId> reached{middle};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const NodeId at = reached[i];
    if (!topology.node(at).adds) continue;  // the end of a branch
    for (const LinkId link : links.out_of(at)) {
      const NodeId to = topology.link(link).to;
      if (reach.hops[index(to)] >= 0 || links.between(to, at).empty()) continue;
      if (!topology.is_host(to) && !topology.node(to).adds) continue;
      reach.hops[index(to)] = reach.hops[index(at)] + 1;
      reach.next[index(to)] = at;
      reached.push_back(to);
    }
  }
  return reach;
}

// Returns the distance of the farthest host; -1 if one is not reached.
int depth_of(const Reach& reach, std::span<const NodeId> hosts) {
  int depth = 0;
  for (const NodeId host : hosts) {
    if (reach.hops[index(host)] < 0) return -1;
    depth = std::max(depth, reach.hops[index(host)]);
  }
  return depth;
}

AddingTree::Branch branch_of(const Topology& topology, const LinkIndex& links, const Reach& reach,
                             NodeId host, std::uint64_t key) {
  AddingTree::Branch branch{.host = host};
  const auto cable = [&](NodeId from, NodeId to) {
    const auto all = links.between(from, to);
    return all[key % all.size()];
  };
  for (NodeId at = host; reach.next[index(at)] >= 0; at = reach.next[index(at)]) {
    const NodeId next = reach.next[index(at)];
    branch.up.push_back(cable(at, next));
    branch.down.push_back(cable(next, at));
    branch.up_latency +=
        topology.link(branch.up.back()).latency + topology.node(next).adds->latency;
    branch.down_latency += topology.link(branch.down.back()).latency;
    if (at != host) branch.down_latency += topology.node(at).adds->latency;
  }
  return branch;
}

}  // namespace

AddingTree::AddingTree(std::vector<Branch> branches) : branches_(std::move(branches)) {
  std::sort(branches_.begin(), branches_.end(),
            [](const Branch& a, const Branch& b) { return a.host < b.host; });
}

const AddingTree::Branch& AddingTree::of(NodeId host) const {
  const auto found =
      std::lower_bound(branches_.begin(), branches_.end(), host,
                       [](const Branch& branch, NodeId wanted) { return branch.host < wanted; });
  expects(found != branches_.end() && found->host == host, "a host of the tree");
  return *found;
}

AddingTree::Ways AddingTree::ways(std::span<const NodeId> givers,
                                  std::span<const NodeId> takers) const {
  Ways ways;
  Time up{}, down{};
  for (const NodeId host : givers) {
    const Branch& branch = of(host);
    ways.links.insert(ways.links.end(), branch.up.begin(), branch.up.end());
    up = std::max(up, branch.up_latency);
  }
  for (const NodeId host : takers) {
    const Branch& branch = of(host);
    ways.links.insert(ways.links.end(), branch.down.begin(), branch.down.end());
    down = std::max(down, branch.down_latency);
  }
  std::sort(ways.links.begin(), ways.links.end());
  ways.links.erase(std::unique(ways.links.begin(), ways.links.end()), ways.links.end());
  ways.latency = up + down;
  return ways;
}

std::optional<AddingTree> adding_tree(const Topology& topology, const LinkIndex& links,
                                      std::span<const NodeId> hosts, std::uint64_t key) {
  std::vector<NodeId> middles;
  int least = 0;
  for (NodeId n = topology.hosts(); n < topology.nodes(); ++n) {
    if (!topology.node(n).adds) continue;
    const int depth = depth_of(reach_from(topology, links, n), hosts);
    if (depth < 0 || (!middles.empty() && depth > least)) continue;
    if (middles.empty() || depth < least) middles.clear();
    least = depth;
    middles.push_back(n);
  }
  if (middles.empty()) return std::nullopt;
  const Reach reach = reach_from(topology, links, middles[key % middles.size()]);
  std::vector<AddingTree::Branch> branches;
  for (const NodeId host : hosts)
    branches.push_back(branch_of(topology, links, reach, host, key / middles.size()));
  return AddingTree(std::move(branches));
}

bool has_adding_switch(const Topology& topology) {
  for (NodeId n = topology.hosts(); n < topology.nodes(); ++n)
    if (topology.node(n).adds) return true;
  return false;
}

std::vector<double> adding_rates(const Topology& topology) {
  std::vector<double> rates;
  for (const Link& link : topology.links()) {
    double least = 0;
    for (const NodeId end : {link.from, link.to}) {
      const auto& adds = topology.node(end).adds;
      if (adds && adds->rate > 0) least = least > 0 ? std::min(least, adds->rate) : adds->rate;
    }
    rates.push_back(least);
  }
  return rates;
}

}  // namespace arlab::simulator
