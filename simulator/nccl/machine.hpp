// The machine that NCCL finds: GPUs, their links, NICs, and the version of NCCL.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "algorithms/base/types.hpp"
#include "simulator/nccl/names.hpp"

namespace arlab::simulator::nccl {

/// A data sheet. NVLink and PCIe: of one GPU, per direction.
struct Gpu {
  std::string_view name;
  Generation generation = Generation::hopper;
  int links = 18;        ///< of NVLink; 0: GPUs share PCIe
  double pcie = 48;      ///< GB/s through its 16 lanes, as NCCL counts them: 12 for PCIe 3.0
  Rank in_node = 8;      ///< of a usual node
  Cpu cpu = Cpu::intel;  ///< of a usual node
};

/// Returns all GPUs by name: v100, a100, h100, ...
std::span<const Gpu> gpus();
/// Throws Error(usage) with all names for another one.
const Gpu& find_gpu(std::string_view name);

/// Versions are numbers such as 22809, which is 2.28.9.
inline constexpr int kOldestVersion = 20800, kNewestVersion = 23099;
/// Reads "2.28.9", or "2.28", its newest release. Throws Error(usage) with the range for others.
int parse_version(std::string_view text);
std::string show_version(int version);

struct Machine {
  Gpu gpu{"h100", Generation::hopper, 18};
  Cpu cpu = Cpu::intel;
  int version = 22809;
  Rank nodes = 1, ranks_per_node = 8;
  int nics = 0;            ///< of a node; 0: one per GPU
  double nic = 50;         ///< GB/s of one NIC
  double nic_latency = 0;  ///< us, beyond what NCCL assumes of any network
  bool collnet = false;    ///< switches reduce, and NCCL_COLLNET_ENABLE is set
  bool multicast = true;   ///< NVSwitches reduce (NVLS), if the GPU's generation can
  bool cube_mesh = false;  ///< NVLinks join pairs of 8 GPUs as in DGX-1, without a switch

  Rank ranks() const { return nodes * ranks_per_node; }
  bool has_nvls() const {
    return multicast && gpu.links > 0 && gpu.generation >= Generation::hopper &&
           ranks_per_node >= 3 && version >= 21700;
  }
};

/// Throws Error(usage) that names the value and its range if the machine cannot exist.
void check(const Machine& machine);

}  // namespace arlab::simulator::nccl
