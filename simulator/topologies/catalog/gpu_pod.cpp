// GPU pod: nodes of GPUs on NVLink, one NIC per GPU, and any fabric of switches between the NICs.
//
// GPU g of node n is host n * gpus + g of the fabric: on a leaf-spine or a fat tree the NICs of a
// node are on one leaf, with fabric=rail GPU g of every node is on rail switch g (rail_pod). Of a
// fabric that has more hosts the last ones are left out. Defaults: nodes of a DGX H100. Latencies
// are assumptions.
#include <algorithm>
#include <array>

#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/rail_pod.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

constexpr std::string_view kRail = "rail", kDragonfly = "dragonfly";
constexpr std::array<std::string_view, 5> kFabrics{kRail, "crossbar", kDragonfly, "fat_tree",
                                                   "leaf_spine"};

Topology on_rails(const Settings& settings) {
  RailPod pod = rail_pod_of(settings);
  pod.nodes_per_switch = 32;
  pod.spines = 4;
  pod.up = up_of(pod, settings);
  return make_rail_pod(settings.spec(), pod);
}

// The fabric alone, whose hosts are the NICs.
Topology fabric_of(const Settings& settings, Rank nics) {
  std::string spec = concat(settings.word("fabric"), ":bandwidth=", settings.word("nic"),
                            ",latency=", settings.word("latency"));
  if (settings.word("fabric") == kDragonfly)
    spec += concat(",global_bandwidth=", settings.word("nic"),
                   ",global_latency=", settings.word("latency"));
  if (settings.given("oversubscription"))
    spec += concat(",oversubscription=", settings.word("oversubscription"));
  return make_topology(spec, nics);
}

Topology on_fabric(const Settings& settings) {
  const RailPod pod = rail_pod_of(settings);
  const double gpus = 1. * pod.nodes * pod.gpus;
  const Topology fabric = fabric_of(settings, static_cast<Rank>(gpus));
  TopologyBuilder builder(settings.spec(), gpus, pod.nodes + fabric.nodes() - fabric.hosts(),
                          2 * gpus + static_cast<double>(fabric.links().size()));
  for (std::int32_t n = 0; n < pod.nodes; ++n)
    for (std::int32_t g = 0; g < pod.gpus; ++g) builder.add_host(concat("n", n, "g", g));
  for (std::int32_t n = 0; n < pod.nodes; ++n) {
    const NodeId nvswitch = builder.add_switch(concat("nvswitch", n), 1);
    if (pod.nvswitch_adds) builder.make_adding(nvswitch, *pod.nvswitch_adds);
    for (NodeId gpu = n * pod.gpus; gpu < (n + 1) * pod.gpus; ++gpu)
      builder.add_cable(gpu, nvswitch, pod.nvlink);
  }
  const Rank hosts = pod.nodes * pod.gpus;
  const NodeId first_switch = hosts + pod.nodes;
  for (NodeId s = fabric.hosts(); s < fabric.nodes(); ++s)
    builder.add_switch(fabric.node(s).name, fabric.node(s).level + 1);
  const auto number = [&](NodeId node) {
    return fabric.is_host(node) ? node : first_switch + node - fabric.hosts();
  };
  for (const Link& link : fabric.links()) {
    const bool is_nic = fabric.is_host(link.from) || fabric.is_host(link.to);
    if (is_nic && std::min(link.from, link.to) >= hosts) continue;
    const std::string& tier = fabric.tiers()[static_cast<std::size_t>(link.tier)];
    builder.add_link(number(link.from), number(link.to),
                     {link.bandwidth, link.latency, is_nic ? "nic" : std::string_view(tier)});
  }
  if (pod.relay) builder.hosts_forward();
  builder.group_hosts(kGpuNode, pod.gpus);
  return std::move(builder).build();
}

Topology make(const Settings& settings) {
  const std::string_view fabric = settings.word("fabric");
  if (std::ranges::find(kFabrics, fabric) == kFabrics.end())
    fail_unknown("fabric of gpu_pod", fabric, kFabrics);
  return fabric == kRail ? on_rails(settings) : on_fabric(settings);
}

}  // namespace

TopologyKind gpu_pod() {
  using Unit = Parameter::Unit;
  return {
      .name = "gpu_pod",
      .summary = "GPUs on NVLink within a node, one NIC per GPU, and any fabric between the NICs",
      .source = "Wang et al., arXiv:2307.12169",
      .parameters = {{"fabric", Unit::number, "rail",
                      "rail, crossbar, dragonfly, fat_tree or leaf_spine"},
                     {"nodes", Unit::count, "4", "nodes"},
                     {"gpus", Unit::count, "8", "GPUs per node"},
                     {"oversubscription", Unit::ratio, "1", "of the fabric, if it has any"},
                     {"relay", Unit::flag, "yes", "GPUs forward messages to other NICs (PXN)"},
                     {"nvlink", Unit::bandwidth, "450GB/s", "of a GPU to its NVSwitch, each way"},
                     {"nic", Unit::bandwidth, "400Gbps", "of a GPU to the fabric, each way"},
                     {"nvlink_latency", Unit::time, "250ns", "of an NVLink"},
                     {"latency", Unit::time, "500ns", "of any other link"},
                     {"nvls", Unit::flag, "no", "NVSwitches add (in-network reduction)"}},
      .fit = fit_rail_pod,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
