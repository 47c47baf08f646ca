#include "simulator/nccl/graphs.hpp"

#include <algorithm>
#include <vector>

namespace arlab::simulator::nccl {
namespace {

constexpr int kMostChannels = 16;  // of a search
constexpr int kMostHeads = 32;     // of NVLS: NCCL_MAX_NVLS_ARITY in src/include/device.h
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
      // src/graph/search.cc: 96 came with 2.27.7, 80 with 2.29.7, 86 with 2.30.3.
      if (m.version >= 22907) rates.insert(rates.begin(), 80);
      if (m.version >= 23003) rates.insert(rates.begin(), 86);
      if (m.version >= 22707) rates.insert(rates.begin(), 96);
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
double gpu_rate(const Machine& m) {
  return m.gpu.links > 0 ? m.gpu.links * link_rate(m) : m.gpu.pcie;
}

int whole(double rate, double part) { return static_cast<int>(rate / part + kSpeedRounding); }

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
  const int parts = (channels + graph.channels - 1) / graph.channels;
  return {channels, graph.inside / parts, graph.between / parts};
}

// The most of all channels: ncclTopoCompute in src/graph/search.cc lowers the rate to half that of
// the best so far, and stops where the channels carry all that a GPU's links do.
template <class Fitting>
Graph best_graph(const Rates& rates, double all, const Fitting& fitting) {
  constexpr double kLowest = .49;
  Graph best;
  for (const double rate : rates) {
    if (best.channels > 0 && rate <= kLowest * best.inside) break;
    const int channels = std::min(fitting(rate), kMostChannels);
    if (channels * rate > best.channels * best.inside + kSpeedRounding)
      best = {channels, rate, rate};
    if (best.channels * best.inside >= all - kSpeedRounding) break;
  }
  return best;
}

// Rings of 2, 4 and 8 GPUs of DGX-1, whose links join pairs.
int cube_mesh_rings(const Machine& m) {
  return m.ranks_per_node <= 2 ? 1 : m.ranks_per_node <= 4 ? 4 : 6;
}

Graph ring_inside(const Machine& m) {
  const double all = gpu_rate(m);
  if (m.cube_mesh) return {cube_mesh_rings(m), link_rate(m), link_rate(m)};
  return doubled(best_graph(rates_inside(m), all, [&](double rate) { return whole(all, rate); }),
                 m.gpu.generation);
}

struct Nics {
  int used = 0;
  double rate = 0;  // of one, as far as the PCIe of its GPU carries it
};
Nics nics_of(const Machine& m) {
  const int nics = m.nics > 0 ? m.nics : m.ranks_per_node;
  const int used = std::min<int>(nics, m.ranks_per_node);
  return {used, std::min(m.nic * nics / used, m.gpu.pcie)};
}

// What the links of the GPU with the most channels carry. The last GPU of a channel sends it to a
// NIC: through PCIe, which GPUs without NVLink use for all. So 8 H100 hold 8 channels of 48 GB/s.
double carried(const Machine& m, int channels, double rate) {
  if (m.ranks_per_node == 1) return 0;
  const int leave = m.gpu.links > 0 ? channels / static_cast<int>(m.ranks_per_node) : 0;
  return (channels - leave) * rate;
}

// A ring enters and leaves a node by one NIC.
Graph ring_between(const Machine& m) {
  const Nics nics = nics_of(m);
  const Rates rates = rates_between(m);
  const Graph best = best_graph(rates, gpu_rate(m), [&](double rate) {
    int channels = std::min(nics.used * whole(nics.rate, rate), kMostChannels);
    while (carried(m, channels, rate) > gpu_rate(m) + kSpeedRounding) --channels;
    return channels;
  });
  return best.channels > 0 ? best : Graph{nics.used, rates.back(), rates.back()};
}

// Trees use as many channels as rings; inside a node theirs may carry up to twice as much.
Graph tree_between(const Machine& m, const Graph& ring) {
  const double fits = gpu_rate(m) * m.ranks_per_node / std::max<Rank>(m.ranks_per_node - 1, 1);
  const double most =
      m.ranks_per_node == 1 ? 2 * ring.between : std::min(2 * ring.between, fits / ring.channels);
  return {ring.channels, std::max(ring.inside, highest(rates_between(m), most)), ring.between};
}

// Each GPU, or the GPU next to each NIC, is the head of one channel; it pulls its share from all
// and pushes it to all.
Graph nvls_graph(const Machine& m) {
  const Rates rates = m.nodes == 1 ? rates_inside(m) : rates_between(m);
  const Nics nics = nics_of(m);
  const double nic = m.nodes == 1 ? rates.front() : highest(rates, nics.rate);
  const int heads =
      std::min(m.nodes == 1 ? static_cast<int>(m.ranks_per_node) : nics.used, kMostHeads);
  const double inside = highest(rates, std::min(gpu_rate(m) / (heads + 1), nic));
  double between = inside;
  for (auto rate = rates.rbegin(); rate != rates.rend(); ++rate)
    if (*rate > between && between < 2 * inside && *rate <= nic) between = *rate;
  return {heads, inside, between};
}

}  // namespace

const Graph& Graphs::of(Algorithm algorithm) const {
  if (is_nvls(algorithm)) return nvls;
  if (is_collnet(algorithm)) return collnet;
  return algorithm == Algorithm::ring ? ring : tree;
}

Graphs graphs_of(const Machine& m) {
  Graphs graphs;
  const Graph found = m.nodes == 1 ? Graph{} : ring_between(m);
  graphs.ring = m.nodes == 1 ? ring_inside(m) : doubled(found, m.gpu.generation);
  graphs.tree = m.nodes == 1 ? graphs.ring : tree_between(m, graphs.ring);
  if (m.has_nvls()) graphs.nvls = nvls_graph(m);
  if (m.collnet && m.nodes > 1) graphs.collnet = found;
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
