// Rail-optimised pods of GPUs: nodes whose GPUs share an NVSwitch, a NIC for each GPU, and a switch
// for each rail: GPU r of every node is on rail switch r.
//
// Hosts are GPUs; those of a node are consecutive. A message within a node takes the NVSwitch, one
// along a rail its rail switch, any other the spines, unless GPUs relay (PXN: by NVLink to the GPU
// of the target's rail, then along that rail). Wang et al., Rail-only, arXiv:2307.12169.
#pragma once

#include <string>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct RailPod {
  std::int32_t nodes = 0, gpus = 0;
  std::int32_t nodes_per_switch = 0;  ///< nodes on one rail switch; more nodes need more of them
  std::int32_t spines = 0;
  std::int32_t cables = 1;  ///< between a rail switch and a spine
  bool relay = false;       ///< GPUs pass messages on
  Wire nvlink, nic, up;
};

Topology make_rail_pod(const std::string& spec, const RailPod& pod);

}  // namespace arlab::simulator
