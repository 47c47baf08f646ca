// Topology: a directed graph of hosts, switches, and links with a bandwidth and a latency.
//
// graph() is a Boost.Graph for graph algorithms (metrics, cuts, shortest routes). links() and
// hosts() describe the same network as plain arrays, which is all that a model needs. A cable is
// two links, one each way. Hosts are the nodes 0 to hosts()-1.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::simulator {

using NodeId = std::int32_t;
using LinkId = std::int32_t;  ///< dense, from 0

/// What a switch that adds does (in-network reduction).
struct SwitchAdds {
  double rate = 0;  ///< of such transfers on each of its links, bytes per second; 0: the link's
  Time latency{};   ///< of each transfer
};

struct Node {
  std::string name;
  int level = 0;                     ///< 0 a host; switches: 1 beside the hosts, 2 above those, ...
  std::int32_t group = 0;            ///< if the topology has groups; -1: a switch of none
  bool forwards = false;             ///< a host that passes messages on
  std::optional<SwitchAdds> adds{};  ///< of a switch: it adds and copies what passes
};

struct Link {
  double bandwidth = 0;  ///< bytes per second
  Time latency{};
  NodeId from = 0, to = 0;
  std::int32_t tier = 0;  ///< index into tiers(): "host", "global", ...
  std::string name;       ///< "from-to"; a second link between the same nodes is "from-to#2"
  double slower = 1;      ///< factor by which a fault has made it slower
};

struct Edge {
  LinkId link = 0;
};

using NetworkGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Node, Edge>;

/// n-dimensional torus or mesh. In host numbers, the first dimension varies fastest.
struct Grid {
  std::vector<std::int32_t> dims;
  bool wrap = true;
};

/// A fat tree in general form, from the hosts up: down[l] children and up[l] parents between levels
/// l and l+1, each over count[l] parallel cables. The nodes follow the hosts level by level.
/// Zahavi's PGFT (D-Mod-K routing, Technion CCIT 776, 2010); the form SimGrid uses.
struct Tree {
  std::vector<std::int32_t> down, up, count;
};

/// Groups of `routers` with `hosts` each and `globals` links out of each group's routers.
struct Dragonfly {
  std::int32_t groups = 0, routers = 0, hosts = 0, globals = 0;
};

/// Structure that a router may use in addition to the graph; monostate: none.
using Structure = std::variant<std::monostate, Grid, Tree, Dragonfly>;

class KeptDistances;

class Topology {
 public:
  const NetworkGraph& graph() const { return *graph_; }
  std::span<const Link> links() const { return links_; }
  const Link& link(LinkId id) const { return links_[static_cast<std::size_t>(id)]; }
  const Node& node(NodeId id) const { return graph()[static_cast<std::size_t>(id)]; }
  NodeId nodes() const { return static_cast<NodeId>(num_vertices(graph())); }
  Rank hosts() const { return hosts_; }
  bool is_host(NodeId id) const { return id < hosts_; }

  /// Returns whether all hosts forward messages for other hosts, as in a torus.
  bool hosts_forward() const { return hosts_forward_; }
  /// Returns whether this node forwards messages: a switch, or such a host.
  bool forwards(NodeId id) const { return !is_host(id) || hosts_forward_ || node(id).forwards; }

  /// Returns the number of groups of hosts, such as GPUs of a node or hosts of a leaf; 0: none.
  std::int32_t groups() const { return groups_; }
  std::int32_t group_of(Rank host) const { return node(host).group; }
  const std::string& group_word() const { return group_word_; }  ///< "node", "leaf", ...

  const std::vector<std::string>& tiers() const { return tiers_; }
  const Structure& structure() const { return structure_; }

  /// Returns what is known of its distances (distances.hpp).
  const KeptDistances& kept_distances() const { return *kept_distances_; }

  /// Returns the spec with every size, such as "fat_tree:k=8"; for a file its name.
  const std::string& spec() const { return spec_; }

 private:
  friend class TopologyBuilder;
  // Shared by copies: Boost's graphs cannot be moved, and none changes once it is built.
  std::shared_ptr<NetworkGraph> graph_ = std::make_shared<NetworkGraph>();
  std::shared_ptr<const KeptDistances> kept_distances_;
  std::vector<Link> links_;
  Rank hosts_ = 0;
  bool hosts_forward_ = false;
  std::int32_t groups_ = 0;
  std::string group_word_;
  std::vector<std::string> tiers_;
  Structure structure_;
  std::string spec_;
};

/// Returns a number as short text, for messages.
std::string short_number(double value);

/// The properties of a cable. `tier` is its kind in tables: "host", "leaf-spine", ...
struct Wire {
  double bandwidth = 0;  ///< bytes per second, each way
  Time latency{};
  std::string_view tier = "link";
  double slower = 1;  ///< factor by which a fault has made it slower
};

/// Builds a Topology: first the hosts, then switches, then cables. All functions throw Error(usage)
/// that names the invalid value.
class TopologyBuilder {
 public:
  /// Throws if the topology would be too large.
  TopologyBuilder(std::string spec, double hosts, double switches, double links);
  /// Copies the nodes of another topology, without its links and its structure.
  TopologyBuilder(const Topology& like, std::string spec);
  TopologyBuilder(const TopologyBuilder&) = delete;
  TopologyBuilder& operator=(const TopologyBuilder&) = delete;

  NodeId add_host(std::string name, bool forwards = false);
  NodeId add_switch(std::string name, int level);
  LinkId add_link(NodeId from, NodeId to, const Wire& wire, std::string name = "");
  void add_cable(NodeId a, NodeId b, const Wire& wire);

  /// Makes a switch one that adds. Throws for a negative or impossible rate or latency.
  void make_adding(NodeId node, const SwitchAdds& adds);
  void hosts_forward() { made_.hosts_forward_ = true; }
  /// Groups the hosts: `size` consecutive hosts per group, or a group number per host. `word` is
  /// the name of a group, such as "node".
  void group_hosts(std::string_view word, Rank size);
  void group_hosts(std::string_view word, std::span<const std::int32_t> group_of);
  /// The switch is inside the group, such as a PCIe switch of a node.
  void group_switch(NodeId node, std::int32_t group);
  void structure(Structure structure) { made_.structure_ = std::move(structure); }

  /// Returns the topology. Throws for duplicate names.
  Topology build() &&;

 private:
  NodeId add_node(std::string name, int level);
  std::int32_t tier(std::string_view name);

  Topology made_;
  std::unordered_map<std::uint64_t, int> cables_;  // number of links so far, by their two ends
};

}  // namespace arlab::simulator
