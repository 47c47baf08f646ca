#include "bench/options/nccl_network.hpp"

#include <fmt/format.h>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/text/units.hpp"
#include "simulator/topologies/build/rail_pod.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;
using Unit = Parameter::Unit;

// `gpu`, `cpu` and `version` are words.
constexpr Parameter kNcclSettings[] = {
    {"gpu", Unit::number, "h100",
     "v100, a100, a40, l40s, h100, h100_pcie, h200, gh200, b200, b300, gb200, gb300 or "
     "rtx_pro_6000"},
    {"cpu", Unit::number, "intel", "intel, amd or arm; by default arm for gh200, gb200 and gb300"},
    {"version", Unit::number, "2.28.9", "of NCCL, 2.8 to 2.30"},
    {"nodes", Unit::count, "1", "nodes, unless -p says how many GPUs"},
    {"gpus", Unit::count, "8", "GPUs per node; by default 4 for gb200 and gb300, 1 for gh200"},
    {"nics", Unit::count, "0", "NICs per node; 0: one per GPU"},
    {"nic", Unit::bandwidth, "400Gbps", "rate of a NIC"},
    {"latency", Unit::time, "0", "of a NIC, beyond what NCCL assumes: AWS counts 20us on p5"},
    {"collnet", Unit::flag, "no", "switches between nodes reduce"},
    {"nvls", Unit::flag, "yes", "NVSwitches reduce, if the GPUs' generation can"},
    {"mesh", Unit::flag, "no", "NVLinks join pairs of GPUs, as in DGX-1"}};

std::string written(const std::map<std::string, std::string>& settings, std::string_view name) {
  const auto at = settings.find(std::string(name));
  if (at != settings.end()) return at->second;
  return std::string(find_parameter(kNcclSettings, name, "network nccl").default_value);
}

double value(const std::map<std::string, std::string>& settings, std::string_view name) {
  return parse_value(find_parameter(kNcclSettings, name, "network nccl"), written(settings, name),
                     name);
}

int count(const std::map<std::string, std::string>& settings, std::string_view name, int least,
          int most) {
  return checked_number(parse_count(written(settings, name), name), name, least, most);
}

nccl::Number number_of(collectives::DType dtype) {
  using enum collectives::DType;
  switch (dtype) {
    case float64:
      return nccl::Number::float64;
    case float32:
      return nccl::Number::float32;
    case float16:
    case bfloat16:
      return nccl::Number::half;
    case float8_e4m3:
    case float8_e5m2:
      return nccl::Number::float8;
    default:
      return collectives::size_of(dtype) == 1 ? nccl::Number::byte : nccl::Number::integer;
  }
}

nccl::Reduction reduction_of(collectives::Op op) {
  using enum collectives::Op;
  switch (op) {
    case sum:
      return nccl::Reduction::sum;
    case prod:
      return nccl::Reduction::product;
    case avg:
      return nccl::Reduction::average;
    default:
      return nccl::Reduction::min_or_max;
  }
}

const char* yes_or_no(bool flag) { return flag ? "yes" : "no"; }

}  // namespace

std::span<const Parameter> nccl_parameters_of_network() { return kNcclSettings; }

nccl::Machine nccl_machine(const std::map<std::string, std::string>& settings) {
  constexpr int kMostNodes = 1 << 20, kMostInNode = 1024;
  for (const auto& [name, text] : settings) find_parameter(kNcclSettings, name, "network nccl");
  const nccl::Gpu& gpu = nccl::find_gpu(written(settings, "gpu"));
  nccl::Machine machine{.gpu = gpu,
                        .cpu = settings.contains("cpu")
                                   ? find_named(nccl::kCpus, written(settings, "cpu"), "processor")
                                   : gpu.cpu,
                        .version = nccl::parse_version(written(settings, "version")),
                        .nodes = count(settings, "nodes", 1, kMostNodes),
                        .ranks_per_node = settings.contains("gpus")
                                              ? count(settings, "gpus", 1, kMostInNode)
                                              : gpu.in_node,
                        .nics = count(settings, "nics", 0, kMostInNode),
                        .nic = value(settings, "nic") / 1e9,
                        .nic_latency = value(settings, "latency") / 1e6,
                        .collnet = value(settings, "collnet") > 0,
                        .multicast = value(settings, "nvls") > 0,
                        .cube_mesh = value(settings, "mesh") > 0};
  return machine;
}

std::string nccl_text(const nccl::Machine& m) {
  return fmt::format(
      "gpu={},cpu={},version={},nodes={},gpus={},nics={},nic={}GB/s,latency={},collnet={},nvls={},"
      "mesh={}",
      m.gpu.name, nccl::name(m.cpu), nccl::show_version(m.version), m.nodes, m.ranks_per_node,
      m.nics, show_number(m.nic), show_picoseconds(m.nic_latency * 1e6), yes_or_no(m.collnet),
      yes_or_no(m.multicast), yes_or_no(m.cube_mesh));
}

nccl::Support nccl_support(const nccl::Machine& machine, Collective collective,
                           collectives::Operand operand) {
  return support_of(machine, collective, number_of(operand.dtype), reduction_of(operand.op));
}

std::string nvswitch_refusal(const ModelOptions& model, const Config& config) {
  const auto [dtype, op] = config.operand;
  Problem without = config.problem;
  if (!config.algorithm || !config.algorithm->in_network || !without.switches.groups ||
      !without.reduces() || nccl_support({}, without.collective, config.operand).nvls)
    return "";
  without.switches.groups = false;
  if (without.groups && without.groups->count() == 1) without.switches.all = false;
  const bool asks_others = unsupported(*config.algorithm, without).empty();
  const auto fabric = model.fabric(config.network, without.ranks);
  if (asks_others || !fabric || fabric->topology.group_word() != simulator::kGpuNode) return "";
  return fmt::format("NVSwitches cannot compute {} of {}", name(op), name(dtype));
}

}  // namespace arlab::bench
