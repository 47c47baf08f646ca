// Rail-optimized pods of GPUs: nodes whose GPUs share an NVSwitch, one NIC per GPU, and one switch
// per rail. GPU r of every node is connected to rail switch r.
//
// Hosts are GPUs; those of a node are consecutive. A message within a node takes the NVSwitch. A
// message along a rail takes its rail switch. All others take the spines, unless GPUs relay (PXN:
// over NVLink to the GPU of the target's rail, then along that rail). Wang et al., Rail-only,
// arXiv:2307.12169.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulator/topologies/build/settings.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

inline constexpr std::string_view kGpuNode = "node";  ///< what groups of its GPUs are called

struct RailPod {
  std::int32_t nodes = 0, gpus = 0;
  std::int32_t nodes_per_switch = 0;  ///< nodes per rail switch
  std::int32_t spines = 0;
  std::int32_t cables = 1;  ///< between a rail switch and a spine
  bool relay = false;       ///< GPUs forward messages
  Wire nvlink, nic, up;
  std::optional<SwitchAdds> nvswitch_adds{}, rail_adds{};  ///< also of the spines
};

/// Chooses the nodes that the hosts need, or the GPUs per node where the nodes are given.
void fit_rail_pod(Settings& settings, Rank hosts);

/// Returns the nodes that the settings describe, without what is above the NICs.
RailPod rail_pod_of(const Settings& settings);
/// Returns the wire of a rail switch's cables to the spines, by the setting "oversubscription".
Wire up_of(const RailPod& pod, const Settings& settings);

Topology make_rail_pod(const std::string& spec, const RailPod& pod);

}  // namespace arlab::simulator
