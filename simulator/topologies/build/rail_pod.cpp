#include "simulator/topologies/build/rail_pod.hpp"

#include <algorithm>

namespace arlab::simulator {

void fit_rail_pod(Settings& settings, Rank hosts) { fit_groups(settings, "nodes", "gpus", hosts); }

RailPod rail_pod_of(const Settings& settings) {
  RailPod pod;
  pod.nodes = settings.count("nodes");
  pod.gpus = settings.count("gpus");
  pod.relay = settings.flag("relay");
  pod.nvlink = {settings.bandwidth("nvlink"), settings.time("nvlink_latency"), "nvlink"};
  pod.nic = {settings.bandwidth("nic"), settings.time("latency"), "nic"};
  if (settings.flag("nvls")) pod.nvswitch_adds.emplace();
  return pod;
}

Wire up_of(const RailPod& pod, const Settings& settings) {
  const std::int32_t down = std::min(pod.nodes, pod.nodes_per_switch);
  return {pod.nic.bandwidth * down / (pod.spines * settings.ratio("oversubscription")),
          pod.nic.latency, "rail-spine"};
}

Topology make_rail_pod(const std::string& spec, const RailPod& pod) {
  const std::int32_t units = (pod.nodes - 1) / pod.nodes_per_switch + 1;
  const double gpus = 1. * pod.nodes * pod.gpus, rails = 1. * units * pod.gpus;
  TopologyBuilder builder(spec, gpus, pod.nodes + rails + pod.spines,
                          4 * gpus + 2 * rails * pod.spines * pod.cables);
  const auto text = [](std::int32_t number) { return std::to_string(number); };
  for (std::int32_t n = 0; n < pod.nodes; ++n)
    for (std::int32_t g = 0; g < pod.gpus; ++g) builder.add_host("n" + text(n) + "g" + text(g));
  const NodeId first_nvswitch = pod.nodes * pod.gpus;
  for (std::int32_t n = 0; n < pod.nodes; ++n) builder.add_switch("nvswitch" + text(n), 1);
  const NodeId first_rail = first_nvswitch + pod.nodes;
  for (std::int32_t u = 0; u < units; ++u)
    for (std::int32_t r = 0; r < pod.gpus; ++r)
      builder.add_switch("rail" + text(r) + (units > 1 ? "." + text(u) : ""), 2);
  const NodeId first_spine = first_rail + units * pod.gpus;
  for (std::int32_t s = 0; s < pod.spines; ++s) builder.add_switch("spine" + text(s), 3);

  for (std::int32_t n = 0; n < pod.nodes; ++n)
    for (std::int32_t g = 0; g < pod.gpus; ++g) {
      const NodeId gpu = n * pod.gpus + g;
      builder.add_cable(gpu, first_nvswitch + n, pod.nvlink);
      builder.add_cable(gpu, first_rail + n / pod.nodes_per_switch * pod.gpus + g, pod.nic);
    }
  for (NodeId rail = first_rail; rail < first_spine; ++rail)
    for (std::int32_t s = 0; s < pod.spines; ++s)
      for (std::int32_t c = 0; c < pod.cables; ++c)
        builder.add_cable(rail, first_spine + s, pod.up);
  for (NodeId n = first_nvswitch; n < first_spine + pod.spines; ++n)
    if (const auto& adds = n < first_rail ? pod.nvswitch_adds : pod.rail_adds)
      builder.make_adding(n, *adds);
  if (pod.relay) builder.hosts_forward();
  builder.group_hosts(kGpuNode, pod.gpus);
  return std::move(builder).build();
}

}  // namespace arlab::simulator
