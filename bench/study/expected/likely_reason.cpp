// Why a bandwidth is low: what the log says of the run, else what the ratio resembles.
#include <fmt/format.h>

#include <cmath>

#include "bench/study/expected/acceptance.hpp"
#include "bench/study/expected/gpu_names.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

bool near(double ratio, double value) { return std::abs(ratio - value) < 0.03; }

// Whether the value of a variable can make this run slower: the usual one does not.
bool slows(std::string_view name, const std::string& value, std::int64_t hosts,
           const std::string& gpu) {
  if (value.empty()) return false;
  if (name == "NCCL_NVLS_ENABLE") return value == "0" && (gpu.empty() || has_nvls(gpu));
  if (name == "NCCL_NET_GDR_LEVEL") return hosts != 1 && (value == "0" || value == "LOC");
  if (name == "NCCL_IB_DISABLE") return hosts != 1 && value != "0";
  if (name == "NCCL_P2P_DISABLE" || name == "NCCL_SHM_DISABLE") return value != "0";
  return true;  // NCCL_ALGO and NCCL_PROTO leave fewer choices
}

// The variable of NCCL that was set to the like; empty if none was.
std::string slow_setting(const Json& context, std::int64_t hosts, const std::string& gpu) {
  const Json& environment = member(context, "environment");
  for (const char* name : {"NCCL_NVLS_ENABLE", "NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "NCCL_ALGO",
                           "NCCL_PROTO", "NCCL_SHM_DISABLE", "NCCL_NET_GDR_LEVEL"})
    if (const std::string value = text_at(environment, name); slows(name, value, hosts, gpu))
      return fmt::format("{}={} was set", name, value);
  return "";
}

}  // namespace

std::string likely_reason(const Judged& judged, const Json& context) {
  if (judged.wrong() > 0)
    return fmt::format("{} wrong, whatever the bandwidth", show_plural(judged.wrong(), "element"));
  const Json groups = judged.record.value("groups", Json());
  const std::int64_t hosts = groups.is_number() ? groups.get<std::int64_t>() : judged.hosts;
  const std::string own = text_at(context, "gpu"), gpu = own.empty() ? judged.gpu : own;
  if (std::string setting = slow_setting(context, hosts, gpu); !setting.empty()) return setting;
  const double ratio = judged.ratio();
  if (hosts > 1) {
    if (text_at(context, "nccl").find("network Socket") != std::string::npos)
      return "NCCL used TCP sockets between the hosts, not the fabric";
    if (near(ratio, 7.0 / 8)) return "7/8 of what is expected, as with one NIC of eight missing";
    if (near(ratio, 0.5)) return "half of what is expected, as with half of the NICs missing";
    if (ratio < 1.0 / 8 || near(ratio, 1.0 / 8))
      return "an eighth or less, as through one NIC or TCP sockets";
    return "";
  }
  if (ratio < 0.15 && !names_gpu(gpu, "L40S"))
    return "as over PCIe or host memory: is NVLink in use (nvidia-smi topo -m)?";
  if (judged.record["collective"] == "allreduce" && ratio > 0.72 && ratio < kLookRatio &&
      has_nvls(gpu))
    return "about the rate of a ring: is NVLS (multicast) off, or not supported?";
  return "";
}

}  // namespace arlab::bench
