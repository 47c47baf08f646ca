// Torus: an n-dimensional grid of hosts, each line of them closed to a ring. A dimension of two
// hosts has one cable. Dally, Performance analysis of k-ary n-cube interconnection networks, IEEE
// TC 39(6), 1990.
#include "simulator/topologies/grid.hpp"
#include "simulator/topologies/kind.hpp"

namespace arlab::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) {
  settings.choose("dims", text_of(balanced_dimensions(hosts, 3)));
}

Topology make(const Settings& settings) {
  return make_grid(settings.spec(), {settings.counts("dims"), true},
                   settings.bandwidth("bandwidth"), settings.time("latency"));
}

}  // namespace

TopologyKind torus() {
  using Unit = TopologyParameter::Unit;
  return {
      .name = "torus",
      .idea = "n-dimensional grid of hosts, each line closed to a ring",
      .source = "Dally 1990",
      .parameters = {{"dims", Unit::counts, "4x4x4",
                      "hosts a dimension; host 1 is next to host 0 in "
                      "the first"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::topology_catalog
