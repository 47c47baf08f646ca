// Rail pod: nodes of GPUs on NVLink, one NIC per GPU, rail switches, and spines above them (see
// build/rail_pod.hpp). Defaults: nodes of a DGX H100. Latencies are assumptions.
#include "simulator/topologies/build/rail_pod.hpp"

#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

Topology make(const Settings& settings) {
  RailPod pod = rail_pod_of(settings);
  pod.nodes_per_switch = settings.count("nodes_per_switch");
  pod.spines = settings.count("spines");
  if (settings.flag("sharp")) pod.rail_adds.emplace();
  pod.up = up_of(pod, settings);
  return make_rail_pod(settings.spec(), pod);
}

}  // namespace

TopologyKind rail_pod() {
  using Unit = Parameter::Unit;
  return {
      .name = "rail_pod",
      .summary =
          "GPUs on NVLink within a node, one NIC per GPU, GPU r of every node on rail switch r",
      .source = "Wang et al., arXiv:2307.12169",
      .parameters = {{"nodes", Unit::count, "4", "nodes"},
                     {"gpus", Unit::count, "8", "GPUs per node, and rails"},
                     {"nodes_per_switch", Unit::count, "32", "nodes on one rail switch"},
                     {"spines", Unit::count, "4", "switches above the rails"},
                     {"oversubscription", Unit::ratio, "1",
                      "bandwidth down by up of a rail switch"},
                     {"relay", Unit::flag, "no", "GPUs forward messages to their rail (PXN)"},
                     {"nvlink", Unit::bandwidth, "450GB/s", "of a GPU to its NVSwitch, each way"},
                     {"nic", Unit::bandwidth, "400Gbps", "of a GPU to its rail, each way"},
                     {"nvlink_latency", Unit::time, "250ns", "of an NVLink"},
                     {"latency", Unit::time, "500ns", "of any other link"},
                     {"nvls", Unit::flag, "no", "NVSwitches add (in-network reduction)"},
                     {"sharp", Unit::flag, "no", "rail switches and spines add"}},
      .fit = fit_rail_pod,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
