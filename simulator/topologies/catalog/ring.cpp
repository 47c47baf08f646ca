// Ring: every host is connected to the next, and the last to the first.
#include "simulator/topologies/build/grid.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) { settings.choose("hosts", hosts); }

Topology make(const Settings& settings) {
  return make_grid(settings.spec(), {{settings.count("hosts")}, true},
                   settings.bandwidth("bandwidth"), settings.time("latency"));
}

}  // namespace

TopologyKind ring() {
  using Unit = Parameter::Unit;
  return {
      .name = "ring",
      .summary = "every host is joined to its two neighbors",
      .source = "Dally & Towles 2004, chapter 5 (a 1-dimensional torus)",
      .parameters = {{"hosts", Unit::count, "16", "hosts"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
