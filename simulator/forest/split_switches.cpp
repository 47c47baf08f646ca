#include "simulator/forest/split_switches.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/types.hpp"

namespace arlab::simulator {
namespace {

using Node = std::int32_t;

// The nodes of lower levels beside each switch, before any is removed.
class Served {
 public:
  Served(const LimitedFlow& flow, const std::vector<int>& level)
      : level_(level), is_(level.size(), std::vector<bool>(level.size())) {
    for (Node s = 0; index(s) < level.size(); ++s)
      for (const Node n : flow.neighbors(s))
        if (index(n) < level.size() && level[index(n)] < level[index(s)]) {
          is_[index(s)][index(n)] = true;
          switches_.push_back(s);
        }
    switches_.erase(std::unique(switches_.begin(), switches_.end()), switches_.end());
  }

  bool by(Node middle, Node n) const { return is_[index(middle)][index(n)]; }
  bool below(Node middle, Node a, Node b) const {
    return std::any_of(switches_.begin(), switches_.end(), [&](Node s) {
      return level_[index(s)] < level_[index(middle)] && by(s, a) && by(s, b);
    });
  }

 private:
  const std::vector<int>& level_;
  std::vector<std::vector<bool>> is_;
  std::vector<Node> switches_;  // that serve nodes
};

// One switch that is being removed.
class Removal {
 public:
  Removal(SplitGraph& graph, Node middle, const Served& served)
      : graph_(graph), middle_(middle), served_(served) {
    for (const Node n : graph.flow.neighbors(middle))
      if (graph.flow.capacity(n, middle) > 0 || graph.flow.capacity(middle, n) > 0)
        neighbors_.push_back(n);
    std::sort(neighbors_.begin(), neighbors_.end());
  }

  void run() {
    if (!deal(true)) deal(false);
    for (std::size_t shift = 1; shift <= neighbors_.size(); ++shift)
      for (std::size_t i = 0; i < neighbors_.size(); ++i)
        split_most(neighbors_[i], neighbors_[(i + shift) % neighbors_.size()]);
    for (const Node n : neighbors_)
      expects(graph_.flow.capacity(n, middle_) == 0 && graph_.flow.capacity(middle_, n) == 0,
              "all capacity through a switch can be split off");
  }

 private:
  // Splits off `capacity` or, if it is negative, undoes that. A way there and back is dropped.
  void split(Node from, Node to, std::int64_t capacity) {
    graph_.flow.add(from, middle_, -capacity);
    graph_.flow.add(middle_, to, -capacity);
    if (from != to) graph_.flow.add(from, to, capacity);
  }

  void keep(Node from, Node to, std::int64_t capacity) {
    if (capacity > 0) graph_.splits.push_back({from, middle_, to, capacity});
  }

  // Whether messages between the two should not pass this switch: both come from elsewhere, or a
  // lower switch serves both, so that routes are shorter there.
  bool avoid(Node a, Node b) const {
    return (!served_.by(middle_, a) && !served_.by(middle_, b)) || served_.below(middle_, a, b);
  }

  using Dealt = std::vector<std::vector<std::int64_t>>;  // from the first neighbor to the second

  // Returns the neighbor to which neighbor i has dealt the least, and among these the one with the
  // most capacity left, or the next one after i; i if there is none.
  std::size_t neediest(std::size_t i, const Dealt& dealt, bool nearby) const {
    const std::size_t n = neighbors_.size();
    std::size_t best = i;
    if (graph_.flow.capacity(neighbors_[i], middle_) == 0) return best;
    const auto left = [&](std::size_t j) { return graph_.flow.capacity(middle_, neighbors_[j]); };
    for (std::size_t step = 1; step < n; ++step) {
      const std::size_t j = (i + step) % n;
      if (left(j) == 0 || (nearby && avoid(neighbors_[i], neighbors_[j]))) continue;
      if (best == i || dealt[i][j] < dealt[i][best] ||
          (dealt[i][j] == dealt[i][best] && left(j) > left(best)))
        best = j;
    }
    return best;
  }

  // Deals the capacity from each neighbor out evenly over the others, all at once: this gives low
  // trees, and takes one test. Undone if it cuts a host off.
  bool deal(bool nearby) {
    const std::size_t n = neighbors_.size();
    if (n == 0) return true;
    std::int64_t most = 0;
    for (const Node u : neighbors_) most = std::max(most, graph_.flow.capacity(u, middle_));
    const std::int64_t portion = std::max<std::int64_t>(1, most / (4 * static_cast<Node>(n)));
    Dealt dealt(n, std::vector<std::int64_t>(n));
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = neediest(i, dealt, nearby);
        if (j == i) continue;
        const std::int64_t some = std::min({portion, graph_.flow.capacity(neighbors_[i], middle_),
                                            graph_.flow.capacity(middle_, neighbors_[j])});
        split(neighbors_[i], neighbors_[j], some);
        dealt[i][j] += some;
        any = true;
      }
    }
    const bool fits = graph_.shortfall() == 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (fits)
          keep(neighbors_[i], neighbors_[j], dealt[i][j]);
        else
          split(neighbors_[i], neighbors_[j], -dealt[i][j]);
    return fits;
  }

  // Splits off as much as possible. If a host falls short by d, then a cut loses d too much.
  void split_most(Node from, Node to) {
    std::int64_t capacity =
        std::min(graph_.flow.capacity(from, middle_), graph_.flow.capacity(middle_, to));
    while (capacity > 0) {
      split(from, to, capacity);
      const std::int64_t missing = graph_.shortfall();
      if (missing == 0) break;
      split(from, to, -capacity);
      capacity -= missing;
    }
    keep(from, to, capacity);
  }

  SplitGraph& graph_;
  Node middle_;
  const Served& served_;
  std::vector<Node> neighbors_;
};

}  // namespace

std::int64_t SplitGraph::shortfall() {
  const auto all = static_cast<std::int64_t>(hosts.size()) * units;
  kept.resize(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t host = (last_short + i) % hosts.size();
    if (flow.reaches(source, hosts[host], all, kept[host])) continue;
    last_short = host;
    return all - flow.flow(source, hosts[host], all);
  }
  return 0;
}

void split_switches(SplitGraph& graph, const std::vector<Node>& switches,
                    const std::vector<int>& level) {
  const Served served(graph.flow, level);
  for (const Node middle : switches) Removal(graph, middle, served).run();
}

}  // namespace arlab::simulator
