#include "simulator/forest/split_switches.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

using Node = std::int32_t;

// One switch that is being removed.
class Removal {
 public:
  Removal(SplitGraph& graph, Node middle, const std::vector<int>& level)
      : graph_(graph), middle_(middle), level_(level) {
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

  bool is_above(Node n) const {
    return level_[static_cast<std::size_t>(n)] >= level_[static_cast<std::size_t>(middle_)];
  }

  // Deals the capacity from each neighbor out evenly over the others, all at once: this gives low
  // trees, and takes one test. Undone if it cuts a host off.
  bool deal(bool only_down) {
    const std::size_t n = neighbors_.size();
    std::int64_t most = 0;
    for (const Node u : neighbors_) most = std::max(most, graph_.flow.capacity(u, middle_));
    const std::int64_t portion = std::max<std::int64_t>(1, most / (4 * static_cast<Node>(n)));
    std::vector<std::vector<std::int64_t>> dealt(n, std::vector<std::int64_t>(n));
    std::vector<std::size_t> next(n);
    std::iota(next.begin(), next.end(), std::size_t{0});
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t tries = 1; tries < n; ++tries) {
          const std::size_t j = next[i] = next[i] + 1 == i + n ? i + 1 : next[i] + 1;
          const Node from = neighbors_[i], to = neighbors_[j % n];
          if (only_down && is_above(from) && is_above(to)) continue;
          const std::int64_t some = std::min(
              {portion, graph_.flow.capacity(from, middle_), graph_.flow.capacity(middle_, to)});
          if (some == 0) continue;
          split(from, to, some);
          dealt[i][j % n] += some;
          any = true;
          break;
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
  const std::vector<int>& level_;
  std::vector<Node> neighbors_;
};

}  // namespace

std::int64_t SplitGraph::shortfall() {
  const auto all = static_cast<std::int64_t>(hosts.size()) * units;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t host = (last_short + i) % hosts.size();
    const std::int64_t received = flow.flow(source, hosts[host], all);
    if (received == all) continue;
    last_short = host;
    return all - received;
  }
  return 0;
}

void split_switches(SplitGraph& graph, const std::vector<Node>& switches,
                    const std::vector<int>& level) {
  for (const Node middle : switches) Removal(graph, middle, level).run();
}

}  // namespace arlab::simulator
