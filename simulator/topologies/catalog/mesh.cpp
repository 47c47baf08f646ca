// Mesh: an n-dimensional grid of hosts with open ends. Dally & Towles, Principles and practices of
// interconnection networks, 2004, chapter 5.
#include "simulator/topologies/grid.hpp"
#include "simulator/topologies/kind.hpp"

namespace arlab::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) {
  settings.choose("dims", text_of(balanced_dimensions(hosts, 3)));
}

Topology make(const Settings& settings) {
  return make_grid(settings.spec(), {settings.counts("dims"), false},
                   settings.bandwidth("bandwidth"), settings.time("latency"));
}

}  // namespace

TopologyKind mesh() {
  using Unit = TopologyParameter::Unit;
  return {
      .name = "mesh",
      .idea = "n-dimensional grid of hosts with open ends",
      .source = "Dally & Towles 2004",
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
