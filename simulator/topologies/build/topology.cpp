#include "simulator/topologies/build/topology.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

constexpr double kMaxNodes = 4'194'304, kMaxLinks = 4'194'304;
constexpr double kMinBandwidth = 1, kMaxBandwidth = 1e15;  // bytes per second

void check(const Wire& wire, const std::string& link) {
  if (!(wire.bandwidth >= kMinBandwidth && wire.bandwidth <= kMaxBandwidth))
    fail(Blame::usage, "link '" + link + "' has a bandwidth of " + short_number(wire.bandwidth) +
                           " bytes per second: give 1 B/s to 1 PB/s, for example 100Gbps");
  if (wire.latency < Time{} || wire.latency > kSecond)
    fail(Blame::usage, "link '" + link + "' has a latency of " +
                           std::to_string(wire.latency.count()) +
                           " ps: give 0 to 1 s, for example 1us");
}

template <class All, class NameOf>
void check_unique(const All& all, std::string_view what, NameOf name_of) {
  std::unordered_set<std::string_view> seen(all.size());
  for (const auto& one : all)
    if (!seen.insert(name_of(one)).second)
      fail(Blame::usage, "two " + std::string(what) + " are called '" + std::string(name_of(one)) +
                             "': give each its own name");
}

}  // namespace

std::string short_number(double value) {
  std::ostringstream text;
  text.precision(std::abs(value) < 1e9 ? 10 : 4);
  text << value;
  return text.str();
}

TopologyBuilder::TopologyBuilder(std::string spec, double hosts, double switches, double links) {
  const auto refuse = [&](double count, std::string_view what, double max) {
    if (count <= max) return;
    fail(Blame::usage, spec + " would have " + short_number(count) + " " + std::string(what) +
                           ", more than " + short_number(max) + ": make it smaller");
  };
  refuse(hosts + switches, "hosts and switches", kMaxNodes);
  refuse(links, "links", kMaxLinks);
  made_.spec_ = std::move(spec);
  made_.links_.reserve(static_cast<std::size_t>(links));
}

TopologyBuilder::TopologyBuilder(const Topology& like, std::string spec) {
  made_.hosts_ = like.hosts_;
  made_.hosts_forward_ = like.hosts_forward_;
  made_.groups_ = like.groups_;
  made_.group_word_ = like.group_word_;
  made_.tiers_ = like.tiers_;
  made_.spec_ = std::move(spec);
  for (NodeId n = 0; n < like.nodes(); ++n) add_vertex(like.node(n), *made_.graph_);
}

NodeId TopologyBuilder::add_node(std::string name, int level) {
  if (name.empty()) fail(Blame::usage, made_.spec_ + ": a node has an empty name, give it one");
  return static_cast<NodeId>(add_vertex(Node{std::move(name), level}, *made_.graph_));
}

NodeId TopologyBuilder::add_host(std::string name, bool forwards) {
  expects(made_.hosts_ == made_.nodes(), "hosts come before switches");
  ++made_.hosts_;
  const NodeId id = add_node(std::move(name), 0);
  (*made_.graph_)[static_cast<std::size_t>(id)].forwards = forwards;
  return id;
}

NodeId TopologyBuilder::add_switch(std::string name, int level) {
  expects(level > 0, "switches are above hosts");
  const NodeId id = add_node(std::move(name), level);
  (*made_.graph_)[static_cast<std::size_t>(id)].group = -1;
  return id;
}

void TopologyBuilder::make_adding(NodeId node, const SwitchAdds& adds) {
  expects(!made_.is_host(node), "switches add");
  const std::string& name = made_.node(node).name;
  if (adds.rate != 0) check({adds.rate, adds.latency}, name);
  if (adds.latency < Time{} || adds.latency > kSecond)
    fail(Blame::usage, "switch '" + name + "' adds with a latency of " +
                           std::to_string(adds.latency.count()) + " ps: give 0 to 1 s");
  (*made_.graph_)[static_cast<std::size_t>(node)].adds = adds;
}

std::int32_t TopologyBuilder::tier(std::string_view name) {
  auto& tiers = made_.tiers_;
  const auto found = std::find(tiers.begin(), tiers.end(), name);
  if (found != tiers.end()) return static_cast<std::int32_t>(found - tiers.begin());
  tiers.emplace_back(name);
  return static_cast<std::int32_t>(tiers.size()) - 1;
}

LinkId TopologyBuilder::add_link(NodeId from, NodeId to, const Wire& wire, std::string name) {
  if (name.empty()) {
    name = made_.node(from).name + "-" + made_.node(to).name;
    const auto pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    if (const int parallel = ++cables_[pair]; parallel > 1) name += "#" + std::to_string(parallel);
  }
  check(wire, name);
  if (from == to)
    fail(Blame::usage,
         "link '" + name + "' joins '" + made_.node(from).name + "' with itself: remove it");
  const auto id = static_cast<LinkId>(made_.links_.size());
  add_edge(static_cast<std::size_t>(from), static_cast<std::size_t>(to), Edge{id}, *made_.graph_);
  made_.links_.push_back(
      {wire.bandwidth, wire.latency, from, to, tier(wire.tier), std::move(name), wire.slower});
  return id;
}

void TopologyBuilder::add_cable(NodeId a, NodeId b, const Wire& wire) {
  add_link(a, b, wire);
  add_link(b, a, wire);
}

void TopologyBuilder::group_hosts(std::string_view word, Rank size) {
  std::vector<std::int32_t> group_of(static_cast<std::size_t>(made_.hosts_));
  for (std::size_t h = 0; h < group_of.size(); ++h)
    group_of[h] = static_cast<std::int32_t>(h) / size;
  group_hosts(word, group_of);
}

void TopologyBuilder::group_hosts(std::string_view word, std::span<const std::int32_t> group_of) {
  expects(group_of.size() == static_cast<std::size_t>(made_.hosts_), "a group for each host");
  made_.group_word_ = word;
  made_.groups_ = group_of.empty() ? 0 : *std::max_element(group_of.begin(), group_of.end()) + 1;
  for (std::size_t h = 0; h < group_of.size(); ++h) (*made_.graph_)[h].group = group_of[h];
}

void TopologyBuilder::group_switch(NodeId node, std::int32_t group) {
  expects(!made_.is_host(node) && group < made_.groups_, "a switch of a group of hosts");
  (*made_.graph_)[static_cast<std::size_t>(node)].group = group;
}

Topology TopologyBuilder::build() && {
  if (made_.hosts_ == 0) fail(Blame::usage, made_.spec_ + " has no hosts: give at least one");
  const auto nodes = boost::make_iterator_range(vertices(*made_.graph_));
  check_unique(nodes, "nodes",
               [&](std::size_t n) -> std::string_view { return (*made_.graph_)[n].name; });
  check_unique(made_.links_, "links", [](const Link& l) -> std::string_view { return l.name; });
  made_.kept_distances_ = std::make_shared<const KeptDistances>(made_.nodes());
  return std::move(made_);
}

}  // namespace arlab::simulator
