#include "simulator/nccl/graphs.hpp"

#include <algorithm>
#include <vector>

namespace arlab::simulator::nccl {
namespace {

constexpr int kMostChannels = 16;  // of a search
constexpr double kPcie = 24;       // GB/s that a GPU reaches through PCIe 4.0
constexpr double kSpeedRounding = 1e-9;

using Rates = std::vector<double>;

// Tried inside one node.
Rates rates_inside(const Machine& m) {
  switch (m.gpu.generation) {
    case Generation::hopper:
      return {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
    case Generation::blackwell:
      return {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
    default:
      return m.version < 21000 ? Rates{42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}
                               : Rates{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
  }
}

// Tried between nodes.
Rates rates_between(const Machine& m) {
  switch (m.gpu.generation) {
    case Generation::hopper:
      return {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
    case Generation::blackwell: {
      Rates rates{48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
      if (m.version >= 22803) rates.insert(rates.begin(), 96);
      return rates;
    }
    default:
      return m.version < 21000
                 ? Rates{42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12}
                 : Rates{48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12};
  }
}

double link_rate(const Machine& m) {
  switch (m.gpu.generation) {
    case Generation::hopper:
      return 20.6;
    case Generation::blackwell:
      return 40.1;
    default:
      return m.version < 21000 ? 21 : 20;
  }
}

// Of all links of a GPU, as NCCL counts them.
double gpu_rate(const Machine& m) { return m.gpu.links > 0 ? m.gpu.links * link_rate(m) : kPcie; }

double highest(const Rates& rates, double most) {
  for (const double rate : rates)
    if (rate <= most + kSpeedRounding) return rate;
  return rates.back();
}

// Twice as many channels of half the rate, where NCCL splits them.
Graph doubled(Graph graph, Generation generation) {
  if (graph.inside < 25) return graph;
  if (generation > Generation::ampere && graph.inside < 50 && graph.channels > 4) return graph;
  const int channels = std::min(2 * graph.channels, kMostChannels);
  const double share = static_cast<double>(graph.channels) / channels;
  return {channels, graph.inside * share, graph.between * share};
}

// Rings of 2, 4 and 8 GPUs of DGX-1, whose links join pairs.
int cube_mesh_rings(const Machine& m) {
  return m.ranks_per_node <= 2 ? 1 : m.ranks_per_node <= 4 ? 4 : 6;
}

Graph ring_inside(const Machine& m) {
  const double all = gpu_rate(m);
  if (m.cube_mesh) return {cube_mesh_rings(m), link_rate(m), link_rate(m)};
  Graph best;
  for (const double rate : rates_inside(m)) {
    const int channels = std::min(static_cast<int>(all / rate + kSpeedRounding), kMostChannels);
    if (channels * rate > best.channels * best.inside + kSpeedRounding) best = {channels, rate, rate};
    if (best.channels * best.inside >= all - kSpeedRounding) break;
  }
  return doubled(best, m.gpu.generation);
}

struct Nics {
  int used = 0;
  double rate = 0;
};
Nics nics_of(const Machine& m) {
  const int nics = m.nics > 0 ? m.nics : m.ranks_per_node;
  const int used = std::min<int>(nics, m.ranks_per_node);
  return {used, highest(rates_between(m), m.nic * nics / used)};
}

// A ring enters and leaves a node by one NIC.
Graph ring_between(const Machine& m) {
  const Nics nics = nics_of(m);
  return doubled({nics.used, nics.rate, nics.rate}, m.gpu.generation);
}

// Trees use as many channels as rings; inside a node theirs may carry up to twice as much.
Graph tree_between(const Machine& m, const Graph& ring) {
  const double fits = gpu_rate(m) * m.ranks_per_node / std::max<Rank>(m.ranks_per_node - 1, 1);
  const double most =
      m.ranks_per_node == 1 ? 2 * ring.between : std::min(2 * ring.between, fits / ring.channels);
  return {ring.channels, std::max(ring.inside, highest(rates_between(m), most)), ring.between};
}

// Each GPU is the head of one channel; it pulls its share from all and pushes it to all.
Graph nvls_graph(const Machine& m) {
  const Rates rates = m.nodes == 1 ? rates_inside(m) : rates_between(m);
  const double nic = m.nodes == 1 ? rates.front() : nics_of(m).rate;
  const Rank heads = m.ranks_per_node;
  const double inside = highest(rates, std::min(gpu_rate(m) / (heads + 1), nic));
  double between = inside;
  for (auto rate = rates.rbegin(); rate != rates.rend(); ++rate)
    if (*rate > between && between < 2 * inside && *rate <= nic) between = *rate;
  return {static_cast<int>(heads), inside, between};
}

}  // namespace

const Graph& Graphs::of(Algorithm algorithm) const {
  if (is_nvls(algorithm)) return nvls;
  if (is_collnet(algorithm)) return collnet;
  return algorithm == Algorithm::ring ? ring : tree;
}

Graphs graphs_of(const Machine& m) {
  Graphs graphs;
  graphs.ring = m.nodes == 1 ? ring_inside(m) : ring_between(m);
  graphs.tree = m.nodes == 1 ? graphs.ring : tree_between(m, graphs.ring);
  if (m.has_nvls()) graphs.nvls = nvls_graph(m);
  if (m.collnet && m.nodes > 1)
    graphs.collnet = {nics_of(m).used, nics_of(m).rate, nics_of(m).rate};
  return graphs;
}

int channels_of(const Machine& m, const Graphs& graphs) {
  return std::min(2 * graphs.ring.channels, m.version < 21800 ? 32 : 64);
}

int nvls_channels(const Machine& m) {
  if (m.gpu.generation < Generation::blackwell) return 16;
  return m.nodes == 1 ? 24 : 32;
}

}  // namespace arlab::simulator::nccl
