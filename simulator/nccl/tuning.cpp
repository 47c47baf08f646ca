#include "simulator/nccl/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "simulator/nccl/constants.hpp"

namespace arlab::simulator::nccl {
namespace {

int log2_of(Rank nodes) { return std::bit_width(static_cast<unsigned>(nodes)) - 1; }

bool splits(Collective c) { return c == Collective::all_gather || c == Collective::reduce_scatter; }

// Whether the collective has the algorithm at all.
bool has(const Machine& m, Collective collective, Algorithm algorithm, Protocol protocol) {
  const bool only_simple =
      is_nvls(algorithm) || is_collnet(algorithm) || algorithm == Algorithm::pat;
  if (only_simple && protocol != Protocol::simple) return false;
  if (algorithm == Algorithm::ring) return true;
  if (collective == Collective::allreduce)
    return algorithm != Algorithm::pat && (algorithm != Algorithm::nvlstree || m.nodes > 1);
  if (!splits(collective)) return false;
  if (algorithm == Algorithm::pat) return m.version >= 22300;
  return (algorithm == Algorithm::nvls && m.version >= 21900) ||
         (algorithm == Algorithm::collnetdirect && m.version >= 22000);
}

class Model {
 public:
  explicit Model(const Tuning& tuning)
      : m_(tuning.machine),
        collective_(tuning.collective),
        graphs_(tuning.graphs),
        c_(constants_of(m_)),
        steps_(ring_steps(collective_, m_.ranks())) {}

  double bandwidth(Algorithm algorithm, Protocol protocol) const {
    const Graph& graph = graphs_.of(algorithm);
    switch (algorithm) {
      case Algorithm::ring:
        return ring_rate(protocol) * m_.ranks() / steps_;
      case Algorithm::tree:
        return tree_rate(protocol) * (is_plain_tree() ? .85 : 1) / 2;
      case Algorithm::nvls:
      case Algorithm::nvlstree:
        return m_.version >= 22803 ? nvls_rate(algorithm) : old_nvls_rate(algorithm);
      case Algorithm::collnetdirect:
        return direct_rate(graph);
      case Algorithm::collnetchain:
        return graph.channels * graph.inside / 2;
      case Algorithm::pat:
        return all(graphs_.ring) * (m_.version < 22400 ? .85 : .75);
    }
    return 0;
  }

  // Sets the parts of the latency.
  void add_latency(Estimate& e) const {
    const double step = c_.inside.of(e.algorithm, e.protocol);
    const double between = network(e.algorithm, e.protocol);
    const Rank others = m_.ranks_per_node - 1;
    switch (e.algorithm) {
      case Algorithm::ring:
        e.base = c_.ring_base[index(e.protocol)];
        return add_ring_latency(e, step, between);
      case Algorithm::tree:
        e.base = c_.tree_base[index(e.protocol)];
        e.inside = 2 * others * step * step_weight(m_, e.protocol);
        e.between = 2 * log2_of(m_.nodes) * between;
        return;
      case Algorithm::nvls:
        e.base = nvls_base(step);
        e.between = m_.nodes > 1 ? between : 0;
        return;
      case Algorithm::nvlstree:
        e.base = nvls_base(step);
        e.between = 2 * (m_.version < 21900 ? m_.nodes - 1 : log2_of(m_.nodes)) * between;
        return;
      case Algorithm::collnetdirect:
        e.inside = 2 * (std::min<Rank>(1, others) * step + others * .4);
        e.between = between;
        return;
      case Algorithm::collnetchain:
        e.inside = 2 * others * step;
        e.between = between;
        return;
      case Algorithm::pat:
        e.base = 8;
        e.inside = m_.ranks() * 2.8;
        e.between = log2_of(m_.nodes) * (between / 3.5);
        return;
    }
  }

 private:
  // Of all channels of a graph, between nodes if there are many.
  double all(const Graph& graph) const {
    const double rate = graph.channels * (m_.nodes <= 2 ? graph.inside : graph.between);
    if (m_.version < 21700 && m_.gpu.generation == Generation::ampere) return std::min(rate, 235.0);
    return rate;
  }

  double ring_rate(Protocol protocol) const {
    const double rate = all(graphs_.ring);
    if (protocol == Protocol::simple) return rate;
    if (protocol == Protocol::ll128) {
      const bool alone = m_.ranks_per_node == 1 && m_.version < 22300;
      return std::min(rate * (alone ? .7 : .92), graphs_.ring.channels * c_.ring_ll128);
    }
    if (m_.version >= 22100) return std::min(c_.ll_max, rate * .5);
    const bool adds =
        m_.nodes > 1 || collective_ == Collective::allreduce || collective_ == Collective::reduce;
    return std::min(c_.ll_max, rate / (adds ? 4 : 3));
  }

  // Without a second rank that shares the load of a tree's root with its NIC.
  bool is_plain_tree() const {
    return m_.version >= 21803 && m_.nodes > 1 &&
           (m_.ranks_per_node == 1 || m_.gpu.generation >= Generation::hopper);
  }

  double tree_rate(Protocol protocol) const {
    const Graph& tree = graphs_.tree;
    const double rate = std::min(.92 * all(tree), tree.channels * c_.tree);
    if (protocol == Protocol::simple) return rate;
    if (protocol == Protocol::ll) return std::min(rate / 3.8, c_.ll_max);
    const double share = m_.nodes == 1 ? 7.0 / 9 : 120.0 / 128;
    return std::min(rate * share, tree.channels * c_.tree_ll128);
  }

  double old_nvls_rate(Algorithm algorithm) const {
    const Graph& graph = graphs_.nvls;
    if (splits(collective_)) {
      const double share = (m_.ranks_per_node - 1.0) / m_.ranks_per_node;
      return graph.channels * std::min(graph.inside * share, graph.between * .9);
    }
    if (m_.version < 21900 && algorithm == Algorithm::nvlstree)
      return all(graph) * .7 * m_.nodes / (2 * (m_.nodes - 1.0));
    const double half = algorithm == Algorithm::nvlstree && m_.nodes > 2 ? 2 : 1;
    const double rate = graph.channels * std::min(graph.inside, graph.between / half);
    return rate * (m_.version < 21803 ? .75 : 5.0 / 6);
  }

  double nvls_rate(Algorithm algorithm) const {
    const Graph& graph = graphs_.nvls;
    if (graph.channels < 2) return 0;
    const double ranks = m_.ranks_per_node;
    const double inside = graph.inside * c_.nvls_share * (graph.channels - 1) / graph.channels *
                          (splits(collective_) ? (ranks - 1) / ranks : 2);
    const bool tree = algorithm == Algorithm::nvlstree;
    double rate = std::min(inside, graph.between * (tree && m_.nodes <= 2 ? 2 : 1));
    if (tree) rate = std::min(rate, c_.nvlstree);
    return graph.channels * rate * (splits(collective_) ? 1 : double(m_.ranks()) / steps_);
  }

  double direct_rate(const Graph& graph) const {
    if (graph.channels == 0) return 0;
    if (splits(collective_)) return m_.ranks_per_node * std::min(graph.inside, graph.between * .9);
    double factor = static_cast<double>(m_.ranks_per_node) / graph.channels;
    factor -= (factor - 1) / 2;
    return graph.channels * graph.inside / factor *
           (m_.gpu.generation >= Generation::hopper ? .85 : 1) / 2;
  }

  // Of one message between nodes: with pieces, the other side's flush, too.
  double network(Algorithm algorithm, Protocol protocol) const {
    const bool exposed = m_.ranks_per_node == 1 && m_.version >= 22300;
    const Algorithm of = exposed ? Algorithm::tree : algorithm;
    return c_.network.of(of, protocol) + m_.nic_latency * (protocol == Protocol::simple ? 2 : 1);
  }

  double nvls_base(double inside) const {
    return m_.version < 21800 ? 40 : m_.version < 21900 ? 23 : inside;
  }

  void add_ring_latency(Estimate& e, double inside, double between) const {
    if (collective_ == Collective::broadcast || collective_ == Collective::reduce) {
      if (m_.nodes == 1)
        e.inside = inside;
      else
        e.between = c_.network.of(Algorithm::ring, e.protocol);
      return;
    }
    const double overhead = c_.overhead * (e.protocol == Protocol::simple ? 3 : 1);
    const double step = std::max(inside * step_weight(m_, e.protocol), m_.nodes > 1 ? overhead : 0);
    const int twice = collective_ == Collective::allreduce ? 2 : 1;
    int across = m_.nodes == 1 ? 0 : twice * static_cast<int>(m_.nodes - 1);
    if (m_.version >= 21200 && m_.version < 22300 && m_.nodes > 1 && twice == 2)
      across = 2 * static_cast<int>(m_.nodes);
    e.inside = (steps_ - across) * step;
    e.between = across * between;
  }

  const Machine& m_;
  Collective collective_;
  const Graphs& graphs_;
  Constants c_;
  int steps_;
};

std::string why_not(const Tuning& t, const Estimate& e) {
  const Machine& m = t.machine;
  if (is_nvls(e.algorithm) && !m.has_nvls())
    return m.gpu.generation < Generation::hopper || m.gpu.links == 0 || !m.multicast
               ? "no NVSwitch that reduces"
           : m.ranks_per_node < 3 ? "needs 3 GPUs in a node"
                                  : "came with NCCL 2.17";
  // Arities of src/include/device.h: NCCL_MAX_NVLS_ARITY, NCCL_MAX_DIRECT_ARITY + 1.
  if (e.algorithm == Algorithm::nvls && splits(t.collective) && m.ranks_per_node > 32)
    return "for at most 32 GPUs in a node";
  if (is_collnet(e.algorithm) && (!m.collnet || m.nodes == 1))
    return "no switches that reduce between nodes";
  if (is_collnet(e.algorithm) && m.ranks_per_node > 8) return "for at most 8 GPUs in a node";
  if (e.algorithm == Algorithm::nvls && m.nodes > 1 && !m.collnet)
    return "needs switches that reduce between nodes";
  if (e.algorithm == Algorithm::pat && m.ranks_per_node > 1) return "for one GPU per node";
  if (e.protocol == Protocol::ll128 && m.gpu.links == 0) return "needs NVLink";
  if (e.bandwidth <= 0) return "no bandwidth";
  return "";
}

// By how much trees fall short of their bandwidth: by protocol, at 64 B, 128 B, ..., 512 MiB.
constexpr double kTreeShare[3][24] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

// Rings of pieces slow down once every rank has a line to send.
double plateau(const Tuning& t, const Estimate& e, double bytes) {
  const Machine& m = t.machine;
  if (e.algorithm != Algorithm::ring || e.protocol != Protocol::simple || m.nodes == 1 ||
      t.collective != Collective::allreduce)
    return 1;
  const double ranks = m.ranks();
  if (m.version < 21800)
    return bytes < ranks / 16 * 65536                                     ? 1
           : m.version >= 21700 && m.gpu.generation >= Generation::hopper ? 1.5
                                                                          : 1.9;
  if (std::floor(bytes / (t.channels * ranks)) < 64) return 1;
  return m.gpu.generation < Generation::ampere ? 1.9 : 1.4;
}

}  // namespace

double step_weight(const Machine& machine, Protocol protocol) {
  return machine.version < 21800 && machine.nodes > 1 && protocol == Protocol::ll ? 1.8 : 1;
}

int ring_steps(Collective collective, Rank ranks) {
  switch (collective) {
    case Collective::allreduce:
      return static_cast<int>(2 * (ranks - 1));
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return static_cast<int>(ranks - 1);
    default:
      return static_cast<int>(ranks);
  }
}

double share_at(const Tuning& t, const Estimate& e, double bytes) {
  if (t.collective != Collective::allreduce || bytes < 64) return 1;
  const auto at = static_cast<int>(std::log2(std::floor(bytes / 64)));
  const Machine& m = t.machine;
  const bool tree = e.algorithm == Algorithm::tree && at < 23;
  const bool nvls = e.algorithm == Algorithm::nvlstree && at < 24 && m.version >= 22902 &&
                    m.gpu.generation == Generation::blackwell && m.cpu != Cpu::arm;
  return tree || nvls ? kTreeShare[index(e.protocol)][at] : 1;
}

Tuning tune(const Machine& machine, Collective collective) {
  check(machine);
  Tuning tuning{.machine = machine,
                .collective = collective,
                .graphs = graphs_of(machine),
                .channels = 0,
                .estimates = {}};
  tuning.channels = channels_of(machine, tuning.graphs);
  const Model model(tuning);
  for (const Algorithm algorithm : kAlgorithms)
    for (const Protocol protocol : kProtocols) {
      if (!has(machine, collective, algorithm, protocol)) continue;
      Estimate estimate{.algorithm = algorithm,
                        .protocol = protocol,
                        .bandwidth = model.bandwidth(algorithm, protocol),
                        .why_not = ""};
      model.add_latency(estimate);
      estimate.why_not = why_not(tuning, estimate);
      tuning.estimates.push_back(std::move(estimate));
    }
  return tuning;
}

double estimated_us(const Tuning& tuning, const Estimate& e, double bytes) {
  return e.latency() * plateau(tuning, e, bytes) +
         bytes / (1000 * e.bandwidth * share_at(tuning, e, bytes));
}

}  // namespace arlab::simulator::nccl
