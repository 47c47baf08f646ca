#include "simulator/nccl/symmetric.hpp"

#include <algorithm>
#include <cmath>

namespace arlab::simulator::nccl {
namespace {

constexpr double kGibi = (1 << 30) / 1e6;  // bytes per us of a GiB/s
constexpr int kMostBlocks = 64;

struct Kernel {
  std::string_view name;
  double bus_bytes, multiplier;
  double link_bytes;  // through the links of a GPU, in the direction with more
  int most_blocks;
  bool ll, multicast;
};

// What a block moves, and all of them at most.
struct KernelRates {
  double base, block, peak;
};

// A smooth minimum of x and the ceiling.
double softmin(double x, double ceiling, double softness) {
  return ceiling - softness * std::log1p(std::expm1(ceiling / softness) * std::exp(-x / softness));
}

// A smooth maximum of x and 0.
double softplus(double x) { return x >= 100 ? x : std::log1p(std::exp(x)); }

double time_of(const Kernel& k, const KernelRates& r, int blocks) {
  const double rate = softmin(blocks * r.block * k.multiplier, r.peak, r.block);
  return r.base + softplus(k.bus_bytes / rate - 1);
}

KernelRates rates_of(const Machine& m, const Kernel& k) {
  if (m.gpu.generation < Generation::blackwell)
    return {k.ll ? 4.5 : 7.8, 65 * kGibi, (k.multicast && !k.ll ? 480 : 320) * kGibi};
  return {k.ll ? 11 : 19.5, 55 * kGibi, (k.multicast && !k.ll ? 1000 : 600) * kGibi};
}

SymmetricKernel fewest_blocks(const Kernel& k, const KernelRates& r) {
  SymmetricKernel best{.name = k.name, .us = time_of(k, r, k.most_blocks), .blocks = k.most_blocks};
  for (int blocks = 1; blocks < k.most_blocks; ++blocks)
    if (const double us = time_of(k, r, blocks); us <= 1.025 * best.us)
      return {.name = k.name, .us = us, .blocks = blocks};
  return best;
}

// Bytes per us of all links of a GPU, by the data sheets.
double links_of(const Gpu& gpu) {
  return 1000.0 * gpu.links * (gpu.generation < Generation::blackwell ? 25 : 50);
}

}  // namespace

std::vector<SymmetricKernel> symmetric_kernels(const Machine& m, double bytes) {
  if (m.version < 22700 || m.nodes > 1 || m.gpu.links == 0) return {};
  if (m.cube_mesh && m.ranks_per_node > 4) return {};  // some pairs have no link
  const double n = m.ranks_per_node;
  const int few = ((m.gpu.generation < Generation::blackwell ? 16 : 32) +
                   static_cast<int>(m.ranks_per_node) - 1) /
                  static_cast<int>(m.ranks_per_node);
  std::vector<Kernel> kernels{
      {"one_shot_ll", 9 * n * bytes, 1, 2 * (n - 1) * bytes, kMostBlocks, true, false},
      {"two_shot", 2 * bytes * (n - 1) / n, 1, 2 * bytes * (n - 1) / n, kMostBlocks, false, false}};
  if (m.has_nvls()) {
    kernels.push_back(
        {"one_shot_ll_multicast", 9 * n * bytes, 1.1, 2 * n * bytes, kMostBlocks, true, true});
    kernels.push_back(
        {"two_shot_multicast", bytes / n + bytes, n, bytes / n + bytes, few, false, true});
  }
  std::vector<SymmetricKernel> found;
  for (const Kernel& k : kernels) {
    found.push_back(fewest_blocks(k, rates_of(m, k)));
    found.back().links_us = k.link_bytes / links_of(m.gpu);
  }
  std::ranges::sort(found, {}, &SymmetricKernel::us);
  return found;
}

}  // namespace arlab::simulator::nccl
