// TPU v4 slice: a 3-dimensional torus of chips, each with six links of 50 GB/s each way.
//
// Optical switches connect cubes of 4x4x4 chips to slices and add no hop. In the machine,
// dimensions shorter than a cube's side are open; here they are closed. Jouppi et al., TPU v4: an
// optically reconfigurable supercomputer, ISCA 2023. The latency is an assumption: the paper states
// none.
#include "simulator/topologies/build/grid.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) {
  settings.choose("dims", to_string(balanced_dimensions(hosts, 3)));
}

Topology make(const Settings& settings) {
  return make_grid(settings.spec(), {settings.sizes("dims"), true}, 50e9, settings.time("latency"));
}

}  // namespace

TopologyKind tpu_v4() {
  using Unit = Parameter::Unit;
  return {
      .name = "tpu_v4",
      .summary = "preset: 3-dimensional torus like a TPU v4 slice, 50 GB/s a link",
      .source = "Jouppi et al., ISCA 2023",
      .parameters = {{"dims", Unit::sizes, "4x4x4", "chips a dimension"},
                     {"latency", Unit::time, "1us", "of a link (an assumption)"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
