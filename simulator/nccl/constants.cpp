#include "simulator/nccl/constants.hpp"

namespace arlab::simulator::nccl {
namespace {

// By number of nodes: 1, 2, more.
using PerNodes = std::array<double, 3>;

std::size_t node_column(const Machine& m) {
  return static_cast<std::size_t>(std::min<Rank>(m.nodes, 3) - 1);
}
std::size_t row_of(Generation generation) { return static_cast<std::size_t>(generation); }

// Rates of LL. Inside a node the GPU limits it; between nodes the processor's vendor names the row.
double ll_max(const Machine& m) {
  constexpr PerNodes kRows[] = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};
  std::size_t row = m.nodes == 1 ? row_of(m.gpu.generation) : m.cpu == Cpu::amd ? 1 : 0;
  if (m.version < 22100) row = std::min<std::size_t>(row, 1);
  return kRows[row][node_column(m)];
}

double ring_ll128(const Machine& m) {
  if (m.gpu.generation < Generation::hopper) return 20;
  if (m.version < 21700) return 20;
  if (m.gpu.generation == Generation::hopper || m.version < 22500) return 36.7;
  if (m.version >= 22907) return 40;
  if (m.version >= 22902) return m.nodes == 2 ? 34.6 : 34.5;
  return m.version >= 22807 && m.nodes == 2 ? 34.6 : 73.4;
}

double tree_ll128(const Machine& m) {
  if (m.gpu.generation < Generation::hopper || m.version < 21700) return 20;
  constexpr PerNodes kHopper{36.7, 36.7, 29}, kBlackwell{55.6, 31.67, 20};
  const std::size_t column = node_column(m);
  if (m.version < 21803) return 36.7;
  if (m.gpu.generation == Generation::hopper || m.version < 22500) return kHopper[column];
  return m.version < 22803 ? 2 * kHopper[column] : kBlackwell[column];
}

double tree_rate(const Machine& m) {
  const std::size_t column = node_column(m);
  constexpr PerNodes kVolta{26.5, 18.5, 10}, kAmpere{24, 23.6, 17.8}, kOldAmpere{24, 22.5, 16},
      kHopper{38.7, 41.4, 36}, kBlackwell{70, 42.8, 24};
  if (m.gpu.generation == Generation::volta) return kVolta[column];
  if (m.gpu.generation == Generation::ampere || m.version < 21700)
    return m.version < 21000 ? kOldAmpere[column] : kAmpere[column];
  if (m.version < 21803 && column == 2) return 33;
  if (m.gpu.generation == Generation::hopper || m.version < 22500) return kHopper[column];
  return m.version < 22803 ? 2 * kHopper[column] : kBlackwell[column];
}

double nvlstree_rate(const Machine& m) {
  if (m.nodes == 1 || m.gpu.generation < Generation::hopper) return 0;
  if (m.gpu.generation == Generation::hopper) return m.nodes == 2 ? 57.7 : 45.5;
  if (m.nodes == 2) return 96;
  return m.version >= 23000 ? 80 : m.version >= 22809 ? 43.8 : 43.1;
}

// Trees wait for pieces of 256 KiB in the versions that say 28 us.
double tree_simple(const Machine& m, double short_wait) {
  const bool is_short = m.version >= 22300 || (m.version >= 21803 && m.version < 21900);
  return is_short ? short_wait : 28;
}

StepLatency inside(const Machine& m) {
  const bool old = m.version < 21800;
  if (m.gpu.links == 0)
    return {.tree = {1, 1.9, tree_simple(m, m.version < 21900 ? 6 : 4)},
            .ring = {1, 2.5, 5.7},
            .collnetdirect = old ? 8 : 3.7,
            .collnetchain = old ? 8 : 2.8,
            .pat = 4};
  return {.tree = {old ? .52 : .6, 1.25, tree_simple(m, 4)},
          .ring = {old ? .47 : .6, 1.9, 3.4},
          .collnetdirect = m.version < 21900 ? 8 : 3.7,
          .collnetchain = old                 ? 8
                          : m.version < 21900 ? 4.75
                                              : 2.8,
          .nvls = m.version < 21900   ? 0.0
                  : m.version < 22100 ? 23
                                      : 25,
          .nvlstree = m.version < 21900   ? 0.0
                      : m.version < 22100 ? 23
                                          : 25,
          .pat = 4};
}

StepLatency network(const Machine& m) {
  const bool old = m.version < 21800;
  // 28 us appeared in 2.12.7 and were gone in 2.14.3.
  const bool slow = m.version >= 21200 && m.version < 21400;
  return {.tree = {5, 8.5, tree_simple(m, 14)},
          .ring = {2.7, 4, old ? (slow ? 28 : 9.6) : 14},
          .collnetdirect = m.version < 21900 ? 10.7 : 31,
          .collnetchain = old                 ? 10.7
                          : m.version < 21900 ? 14
                                              : 30,
          .nvls = old ? 0.0 : 18,
          .nvlstree = old                 ? 0.0
                      : m.version < 21900 ? 19
                      : m.version < 22809 ? 14
                                          : 20.9,
          .pat = 14};
}

double nvls_share(Generation generation) {
  if (generation < Generation::hopper) return 0;
  return generation == Generation::hopper ? .85 : .74;
}

}  // namespace

double StepLatency::of(Algorithm algorithm, Protocol protocol) const {
  switch (algorithm) {
    case Algorithm::ring:
      return ring[index(protocol)];
    case Algorithm::tree:
      return tree[index(protocol)];
    case Algorithm::collnetdirect:
      return collnetdirect;
    case Algorithm::collnetchain:
      return collnetchain;
    case Algorithm::nvls:
      return nvls;
    case Algorithm::nvlstree:
      return nvlstree;
    case Algorithm::pat:
      return pat;
  }
  return 0;
}

Constants constants_of(const Machine& m) {
  const bool old = m.version < 21800;
  Constants c;
  c.tree_base = {old ? 4.4 : 6.8, old ? 4.4 : 14, m.version < 22300 ? 0.0 : 8.4};
  c.ring_base = {old ? 3.6 : 6.6, old ? 10.0 : 14, 8.4};
  c.inside = inside(m);
  c.network = network(m);
  c.ll_max = ll_max(m);
  c.ring_ll128 = ring_ll128(m);
  c.tree = tree_rate(m);
  c.tree_ll128 = tree_ll128(m);
  c.nvlstree = nvlstree_rate(m);
  c.nvls_share = nvls_share(m.gpu.generation);
  c.overhead = old ? 0 : m.cpu == Cpu::amd ? 2 : 1;
  return c;
}

}  // namespace arlab::simulator::nccl
