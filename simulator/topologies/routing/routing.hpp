// Router: the links that a message takes from one host to another.
//
// Where the structure of a network is known, routes are computed from coordinates. Else distances
// to a target are found when it is first asked for and kept, one table for each target (for hosts
// on one link: for the switch it is on); whole routes are never kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/topologies/analysis/distances.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/build/tree.hpp"
#include "simulator/topologies/routing/link_index.hpp"

namespace arlab::simulator {

enum class Routing : std::uint8_t {
  automatic,  ///< dimension on grids, d_mod_k on fat trees, minimal on dragonflies, else ecmp
  shortest,   ///< fewest hops, then least latency, then the link that comes first
  ecmp,       ///< one of the shortest, by hash of source, target, flow and seed
  dimension,  ///< grids: one dimension after the other, the shorter way round (ties: upwards)
  d_mod_k,    ///< fat trees: the up links that the target's number names
  minimal,    ///< dragonfly: at most one global link
  valiant     ///< dragonfly: by way of a third group, by hash of source, target, flow and seed
};

inline constexpr Routing kRoutings[] = {Routing::automatic, Routing::shortest, Routing::ecmp,
                                        Routing::dimension, Routing::d_mod_k,  Routing::minimal,
                                        Routing::valiant};

std::string_view name(Routing routing);
std::string_view summary(Routing routing);  ///< one line
/// Throws Error(usage) naming the nearest.
Routing find_routing(std::string_view text);

class Router {
 public:
  /// `topology` must outlive the router. Throws Error(usage) for a routing that this topology does
  /// not have; nothing else is used instead.
  explicit Router(const Topology& topology, Routing routing = Routing::automatic,
                  std::uint64_t seed = 0);

  /// What `automatic` became.
  Routing routing() const { return routing_; }

  /// The links from one host to another, in order; none when they are the same. Valid until the
  /// next call. `flow` tells messages of one pair apart (ecmp, valiant). Throws Error(usage) when
  /// there is no way.
  std::span<const LinkId> route(Rank source, Rank target, std::int64_t flow = 0);

  /// The sum over a route.
  Time latency(std::span<const LinkId> route) const;

 private:
  struct Table {
    std::vector<LinkId> next;        ///< by node: of the shortest ways on, the link of least number
    std::vector<Distance> distance;  ///< by node; kept for ecmp
  };

  void by_table(Rank target, std::uint64_t key);
  LinkId choose(NodeId target, std::uint64_t key);
  const Table& table_to(NodeId target);

  const Topology& topology_;
  Routing routing_;
  std::uint64_t seed_;
  LinkIndex links_;
  RouteBuilder trail_;             // the latest
  std::optional<TreeShape> tree_;  // for d_mod_k
  std::vector<Table> tables_;      // by target node, filled when first needed
};

}  // namespace arlab::simulator
