// Router: finds the links that a message takes from one host to another.
//
// If the structure of a network is known, routes are computed from coordinates. Otherwise they
// follow the distances to the target (of a host with a single link: to its switch), which the
// topology keeps. Whole routes are not kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/build/tree.hpp"
#include "simulator/topologies/routing/link_index.hpp"

namespace arlab::simulator {

enum class Routing : std::uint8_t {
  automatic,  ///< dimension on grids, d_mod_k on fat trees, minimal on dragonflies, else ecmp
  shortest,   ///< fewest hops, then lowest latency, then lowest link number
  ecmp,       ///< one of the shortest, by a hash of source, target, flow and seed; GPUs that relay
              ///< take the first
  spray,      ///< all of the shortest at once, in equal parts at each switch (spray.hpp)
  dimension,  ///< grids: one dimension after another, in the shorter direction (ties: upwards)
  d_mod_k,    ///< fat trees: up links selected by the target's number
  minimal,    ///< dragonfly: at most one global link
  valiant     ///< dragonfly: through a third group, by a hash of source, target, flow and seed
};

inline constexpr Routing kRoutings[] = {Routing::automatic, Routing::shortest,  Routing::ecmp,
                                        Routing::spray,     Routing::dimension, Routing::d_mod_k,
                                        Routing::minimal,   Routing::valiant};

std::string_view name(Routing routing);
std::string_view summary(Routing routing);  ///< one line

/// A routing, and into how many flows a message is cut, each with a hash of its own.
struct RoutingSpec {
  Routing routing = Routing::automatic;
  std::int32_t flows = 1;  ///< above 1 only of ecmp
};
/// Reads "shortest", "ecmp:flows=4". Throws Error(usage) naming the nearest.
RoutingSpec parse_routing(std::string_view text);

class Router {
 public:
  /// `topology` must outlive the router. Throws Error(usage) if the topology does not support the
  /// routing.
  explicit Router(const Topology& topology, Routing routing = Routing::automatic,
                  std::uint64_t seed = 0);

  /// Returns the routing in use, which is not `automatic`.
  Routing routing() const { return routing_; }
  const LinkIndex& links() const { return links_; }

  /// Returns the links from one host to another, in order; none if the hosts are the same. Valid
  /// until the next call. `flow` distinguishes messages of one pair (ecmp, valiant). Throws
  /// Error(usage) if there is no route.
  std::span<const LinkId> route(Rank source, Rank target, std::int64_t flow = 0);

  /// Returns the first links of the shortest routes from a node, of which ecmp takes one and spray
  /// all; none if there is no route. Valid until the next call.
  std::span<const LinkId> ways(NodeId at, Rank target);

  /// Returns the sum of the link latencies.
  Time latency(std::span<const LinkId> route) const;

 private:
  struct Goal {
    NodeId node = 0;  ///< to which distances lead
    LinkId last = 0;  ///< from there to the target; below 0: the target is the goal
  };

  void by_distance(Rank target, std::uint64_t key);
  Goal goal_of(Rank target) const;
  void find_ways(NodeId at, NodeId goal);

  const Topology& topology_;
  Routing routing_;
  std::uint64_t seed_;
  LinkIndex links_;
  RouteBuilder route_;             // the latest
  std::vector<Time> latencies_;    // of each link, next to one another
  std::optional<TreeShape> tree_;  // for d_mod_k
  std::vector<LinkId> ways_;       // the latest
};

}  // namespace arlab::simulator
