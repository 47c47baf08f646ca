// Mesh: an n-dimensional grid of hosts with open ends. Dally & Towles, Principles and practices of
// interconnection networks, 2004, chapter 5.
#include "simulator/topologies/build/grid.hpp"

namespace arlab::simulator::topology_catalog {

TopologyKind mesh() {
  TopologyKind kind = grid_kind(false);
  kind.name = "mesh";
  kind.summary = "n-dimensional grid of hosts with open ends";
  kind.source = "Dally & Towles 2004";
  return kind;
}

}  // namespace arlab::simulator::topology_catalog
