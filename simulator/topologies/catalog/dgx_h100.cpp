// DGX H100 pod: NVIDIA's DGX SuperPOD of DGX H100 systems.
//
// A system: 8 H100 GPUs with 18 NVLinks of 25 GB/s each way, 450 GB/s per GPU, to its NVSwitches
// (one here: they are non-blocking), and 8 ConnectX-7 ports of 400 Gb/s for compute. A scalable
// unit: 32 systems, 8 rail-aligned leaf switches of 64 ports of 400 Gb/s, half of them up. 1, 2, 4
// and 8 units have 4, 8, 16 and 32 spines. DGX H100/H200 user guide; DGX SuperPOD reference
// architecture, DGX H100, RA-11333-001, 2023. Latencies are assumptions: neither document states
// any.
//
// What NCCL's protocols reach is measured. Of an NVLink's 450 GB/s a ring has a busbw of 370
// (365 to 370 on 2 to 8 GPUs, NVIDIA/nccl#1455; 370 with a fifth of overhead, says NCCL's author in
// NVIDIA/nccl-tests#212): nvlink=450GB/s is the data sheet's. NVSwitches add (NVLS): on a
// p5.48xlarge of 8 H100 AWS's table has an algbw of 274.5 GB/s at 8 GiB
// (awsome-distributed-training, aws-batch), so that 274.5 (1 + 1/8) = 308.8 GB/s pass each GPU's
// links.
#include <bit>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/rail_pod.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

constexpr std::int32_t kGpus = 8, kUnit = 32, kMaxUnits = 8;

void fit(Settings& settings, Rank hosts) { settings.choose("systems", (hosts - 1) / kGpus + 1); }

Topology make(const Settings& settings) {
  RailPod pod;
  pod.nodes = settings.count("systems");
  const auto units = static_cast<std::int32_t>(
      std::bit_ceil((static_cast<std::uint32_t>(pod.nodes) - 1) / kUnit + 1));
  if (units > kMaxUnits)
    fail(Blame::usage, "dgx_h100: systems '" + std::to_string(pod.nodes) + "' is more than the " +
                           std::to_string(kMaxUnits * kUnit) +
                           " that two levels of switches join: use rail_pod or fat_tree");
  pod.gpus = kGpus;
  pod.nodes_per_switch = kUnit;
  pod.spines = 4 * units;
  pod.cables = 8 / units;
  pod.relay = settings.flag("relay");
  const Time latency = settings.time("latency");
  constexpr double kNdr = 400e9 / 8;
  pod.nvlink = {settings.bandwidth("nvlink"), settings.time("nvlink_latency"), "nvlink"};
  pod.nic = {kNdr, latency, "nic"};
  pod.up = {kNdr, latency, "rail-spine"};
  pod.nvswitch_adds = {settings.bandwidth("nvls"), {}};
  if (settings.flag("sharp")) pod.rail_adds.emplace();
  return make_rail_pod(settings.spec(), pod);
}

}  // namespace

TopologyKind dgx_h100() {
  using Unit = Parameter::Unit;
  return {
      .name = "dgx_h100",
      .summary = "preset: NVIDIA DGX SuperPOD of DGX H100 systems, 8 GPUs and 8 NICs each",
      .source = "DGX SuperPOD reference architecture RA-11333-001, 2023",
      .parameters = {{"systems", Unit::count, "32", "DGX H100 systems; 32 are a scalable unit"},
                     {"relay", Unit::flag, "yes", "GPUs pass messages on to their rail (PXN)"},
                     {"nvlink", Unit::bandwidth, "370GB/s",
                      "of a GPU to its NVSwitch, each way: what NCCL's rings reach (measured); the "
                      "links have 450GB/s"},
                     {"nvlink_latency", Unit::time, "250ns", "of an NVLink (an assumption)"},
                     {"latency", Unit::time, "500ns", "of any other link (an assumption)"},
                     {"nvls", Unit::bandwidth, "308.8GB/s",
                      "at which NVSwitches add and copy, per GPU each way (measured)"},
                     {"sharp", Unit::flag, "no", "rail switches and spines add"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
