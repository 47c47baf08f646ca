// DragonflyShape: numbers of routers, and the global cables between groups.
//
// Global port q of a group leads to the group at offset 1 + q mod (groups-1) (relative
// arrangement). So every pair of groups has the same number of cables; ports that would break this
// symmetry stay unused. Camarero, Vallejo, Beivide, Topological characterization of Hamming and
// dragonfly networks, ACM TACO 11(4), 2014.
#pragma once

#include <cstdint>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class DragonflyShape {
 public:
  explicit DragonflyShape(const Dragonfly& shape) : d_(shape) {}

  Rank hosts() const { return d_.groups * d_.routers * d_.hosts; }
  NodeId router(std::int32_t group, std::int32_t index) const {
    return hosts() + group * d_.routers + index;
  }
  NodeId router_of(Rank host) const { return hosts() + host / d_.hosts; }
  std::int32_t group_of(NodeId router) const { return (router - hosts()) / d_.routers; }

  /// Returns the number of cables between each pair of groups.
  std::int32_t cables() const {
    return d_.groups > 1 ? d_.routers * d_.globals / (d_.groups - 1) : 0;
  }

  struct Cable {
    NodeId out = 0, in = 0;  ///< its router in the first and in the second group
    Count which = 0;         ///< of the cables between these two routers
  };
  Cable cable(std::int32_t from, std::int32_t to, std::int32_t which) const;
  /// Returns the cable to `group` with the fewest local links from `here`, and to `goal` if that
  /// router is in the group. `key` selects among equal cables.
  Cable best_cable(NodeId here, std::int32_t group, NodeId goal, std::uint64_t key) const;

 private:
  Dragonfly d_;
};

}  // namespace arlab::simulator
