// Torus: an n-dimensional grid of hosts, each line closed to a ring. A dimension of two
// hosts has one cable. Dally, Performance analysis of k-ary n-cube interconnection networks, IEEE
// TC 39(6), 1990.
#include "simulator/topologies/build/grid.hpp"

namespace arlab::simulator::topology_catalog {

TopologyKind torus() {
  TopologyKind kind = grid_kind(true);
  kind.name = "torus";
  kind.summary = "n-dimensional grid of hosts, each line closed to a ring";
  kind.source = "Dally 1990";
  return kind;
}

}  // namespace arlab::simulator::topology_catalog
