// TPU v4 slice: a 3-dimensional torus of chips, each with six links of 50 GB/s each way.
//
// Slices are put together from cubes of 4x4x4 by optical switches, which add no hop; below a cube's
// side the ends stay open in the machine, here they are closed as well. Jouppi et al., TPU v4: an
// optically reconfigurable supercomputer, ISCA 2023. The latency is an assumption: the paper has
// none.
#include "simulator/topologies/build/grid.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) {
  settings.choose("dims", text_of(balanced_dimensions(hosts, 3)));
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
