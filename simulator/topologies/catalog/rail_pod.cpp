// Rail pod: nodes of GPUs on NVLink, one NIC per GPU, rail switches, and spines above them (see
// build/rail_pod.hpp). Defaults: nodes of a DGX H100. Latencies are assumptions.
#include "simulator/topologies/build/rail_pod.hpp"

#include <algorithm>

#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) {
  const std::int32_t nodes = settings.count("nodes");
  if (settings.given("nodes"))
    settings.choose("gpus", (hosts + nodes - 1) / nodes);
  else
    settings.choose("nodes", (hosts - 1) / settings.count("gpus") + 1);
}

Topology make(const Settings& settings) {
  RailPod pod;
  pod.nodes = settings.count("nodes");
  pod.gpus = settings.count("gpus");
  pod.nodes_per_switch = settings.count("nodes_per_switch");
  pod.spines = settings.count("spines");
  pod.relay = settings.flag("relay");
  pod.nvlink = {settings.bandwidth("nvlink"), settings.time("nvlink_latency"), "nvlink"};
  pod.nic = {settings.bandwidth("nic"), settings.time("latency"), "nic"};
  if (settings.flag("nvls")) pod.nvswitch_adds.emplace();
  if (settings.flag("sharp")) pod.rail_adds.emplace();
  const std::int32_t down = std::min(pod.nodes, pod.nodes_per_switch);
  pod.up = {pod.nic.bandwidth * down / (pod.spines * settings.ratio("oversubscription")),
            pod.nic.latency, "rail-spine"};
  return make_rail_pod(settings.spec(), pod);
}

}  // namespace

TopologyKind rail_pod() {
  using Unit = Parameter::Unit;
  return {
      .name = "rail_pod",
      .summary = "GPUs on NVLink within a node, one NIC per GPU, GPU r of every node on rail switch r",
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
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
