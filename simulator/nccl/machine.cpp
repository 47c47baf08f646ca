#include "simulator/nccl/machine.hpp"

#include <array>
#include <charconv>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::simulator::nccl {
namespace {

using enum Generation;
// Rates through PCIe by generation: kvDictPciGen in src/graph/topo.cc. The NICs of B300 and GB300
// are behind PCIe 6.0.
constexpr double kPcie3 = 12, kPcie4 = 24, kPcie5 = 48, kPcie6 = 96;
// Links and nodes by NVIDIA's data sheets; NCCL treats Ada like Ampere. The processor of names with
// G is Grace.
constexpr Gpu kGpus[] = {{"v100", volta, 6, kPcie3},
                         {"a100", ampere, 12, kPcie4},
                         {"a40", ampere, 0, kPcie4},
                         {"l40s", ampere, 0, kPcie4},
                         {"h100", hopper, 18, kPcie5},
                         {"h100_pcie", hopper, 0, kPcie5},
                         {"h200", hopper, 18, kPcie5},
                         {"gh200", hopper, 18, kPcie5, 1, Cpu::arm},
                         {"b200", blackwell, 18, kPcie5},
                         {"b300", blackwell, 18, kPcie6},
                         {"gb200", blackwell, 18, kPcie5, 4, Cpu::arm},
                         {"gb300", blackwell, 18, kPcie6, 4, Cpu::arm},
                         {"rtx_pro_6000", blackwell, 0, kPcie5}};

constexpr int kMostPatch = 99;

void expect(bool right, std::string_view what, const std::string& value, std::string_view range) {
  if (!right) fail(Blame::usage, concat("nccl: ", what, " is ", value, ": give ", range));
}

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

const Gpu& find_gpu(std::string_view name) { return find_named(kGpus, name, "GPU"); }

int parse_version(std::string_view text) {
  std::array<int, 3> parts{0, 0, kMostPatch};
  std::size_t read = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (read < parts.size()) {
    const auto [next, error] = std::from_chars(at, end, parts[read]);
    if (error != std::errc() || parts[read] < 0 || parts[read] > kMostPatch) break;
    ++read;
    at = next;
    if (at == end || *at != '.') break;
    ++at;
  }
  const int version = 10000 * parts[0] + 100 * parts[1] + parts[2];
  if (read < 2 || at != end || version < kOldestVersion || version > kNewestVersion)
    fail(Blame::usage, concat("version '", text, "' of NCCL has no model: give 2.8 to 2.30, such ",
                              "as 2.28 or 2.28.9"));
  return version;
}

std::string show_version(int version) {
  std::string text = concat(version / 10000, ".", version / 100 % 100);
  if (version % 100 != kMostPatch) text += concat(".", version % 100);
  return text;
}

void check(const Machine& m) {
  constexpr Rank kMostNodes = 1 << 20, kMostInNode = 1024;
  constexpr double kMostRate = 10000, kMostLatency = 1e6;
  expect(m.nodes >= 1 && m.nodes <= kMostNodes, "nodes", std::to_string(m.nodes), "1 to 1048576");
  expect(m.ranks_per_node >= 1 && m.ranks_per_node <= kMostInNode, "gpus",
         std::to_string(m.ranks_per_node), "1 to 1024 per node");
  expect(m.ranks() >= 2, "the number of ranks", std::to_string(m.ranks()),
         "two GPUs or more: set nodes or gpus");
  expect(m.nics >= 0 && m.nics <= kMostInNode, "nics", std::to_string(m.nics),
         "1 to 1024 per node, or 0 for one per GPU");
  expect(m.nic > 0 && m.nic <= kMostRate, "nic", std::to_string(m.nic), "a rate such as 400Gbps");
  expect(m.nic_latency >= 0 && m.nic_latency <= kMostLatency, "latency",
         std::to_string(m.nic_latency), "0 to 1 s");
}

}  // namespace arlab::simulator::nccl
