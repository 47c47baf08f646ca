#include "simulator/forest/limited_flow.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {

LimitedFlow::LimitedFlow(Node nodes) {
  for (Node n = 0; n < nodes; ++n) add_node();
}

LimitedFlow::Node LimitedFlow::add_node() {
  const std::size_t nodes = leaving_.size() + 1;
  leaving_.emplace_back();
  neighbors_.emplace_back();
  number_.resize(nodes);
  for (auto& row : number_) row.resize(nodes, -1);
  return static_cast<Node>(nodes - 1);
}

std::int64_t LimitedFlow::capacity(Node from, Node to) const {
  const std::int32_t number = number_[index(from)][index(to)];
  return number < 0 ? 0 : arcs_[index(number)].capacity;
}

void LimitedFlow::add(Node from, Node to, std::int64_t capacity) {
  if (number_[index(from)][index(to)] < 0)
    for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
      number_[index(a)][index(b)] = static_cast<std::int32_t>(arcs_.size());
      leaving_[index(a)].push_back({b, static_cast<std::int32_t>(arcs_.size())});
      neighbors_[index(a)].push_back(b);
      arcs_.emplace_back();
    }
  const std::int32_t number = number_[index(from)][index(to)];
  arc(number).capacity += capacity;
  expects(arc(number).capacity >= 0, "a capacity is at least 0");
  if (capacity < 0) lowered_.push_back({number, from, to});
}

std::int64_t LimitedFlow::flow(Node source, Node target, std::int64_t limit) {
  for (Arc& a : arcs_) a.flow = 0;
  return augment(source, target, limit);
}

bool LimitedFlow::reaches(Node source, Node target, std::int64_t limit, Kept& kept) {
  const std::size_t arcs = kept.flow.size(), seen = std::exchange(kept.seen, lowered_.size());
  const auto keep = [&] {
    kept.flow.resize(arcs_.size());
    for (std::size_t a = 0; a < arcs_.size(); ++a) kept.flow[a] = arcs_[a].flow;
    return true;
  };
  const auto give_up = [&] {
    kept.seen = seen;  // these capacities may be raised again
    return false;
  };
  if (arcs == 0) return flow(source, target, limit) == limit ? keep() : give_up();
  const auto fits = [&](const Lowered& l) {
    return index(l.arc) >= arcs || kept.flow[index(l.arc)] <= arc(l.arc).capacity;
  };
  const std::span<const Lowered> lowered(lowered_.begin() + static_cast<std::ptrdiff_t>(seen),
                                         lowered_.end());
  if (std::ranges::all_of(lowered, fits)) return true;
  for (std::size_t a = 0; a < arcs_.size(); ++a) arcs_[a].flow = a < arcs ? kept.flow[a] : 0;
  for (const auto& [number, from, to] : lowered)
    if (!pass_by(number, from, to)) return give_up();
  return keep();
}

// Sends what is too much on an arc another way to its end. If there is a flow that fits, then there
// are such ways for one arc after the other: the flows' difference contains them.
bool LimitedFlow::pass_by(std::int32_t number, Node from, Node to) {
  const std::int64_t excess = -arc(number).residual();
  if (excess <= 0) return true;
  arc(number).flow -= excess;
  arc(number ^ 1).flow += excess;
  return augment(from, to, excess) == excess;
}

std::int64_t LimitedFlow::augment(Node source, Node target, std::int64_t limit) {
  std::int64_t total = 0;
  while (total < limit && number_levels(source, target)) {
    next_.assign(leaving_.size(), 0);
    while (total < limit) {
      const std::int64_t more = push(source, target, limit - total);
      if (more == 0) break;
      total += more;
    }
  }
  return total;
}

// Numbers the nodes by their distance from the source. Returns whether the target has one.
bool LimitedFlow::number_levels(Node source, Node target) {
  level_.assign(leaving_.size(), -1);
  level_[index(source)] = 0;
  std::vector<Node> reached{source};
  for (std::size_t i = 0; i < reached.size() && level_[index(target)] < 0; ++i)
    for (const auto& [to, number] : leaving_[index(reached[i])])
      if (level_[index(to)] < 0 && arc(number).residual() > 0) {
        level_[index(to)] = level_[index(reached[i])] + 1;
        reached.push_back(to);
      }
  return level_[index(target)] >= 0;
}

std::int64_t LimitedFlow::push(Node node, Node target, std::int64_t most) {
  if (node == target) return most;
  const auto& leaving = leaving_[index(node)];
  std::int64_t pushed = 0;
  for (std::size_t& i = next_[index(node)]; i < leaving.size(); ++i) {
    const auto [to, number] = leaving[i];
    if (level_[index(to)] != level_[index(node)] + 1) continue;
    const std::int64_t residual = arc(number).residual();
    if (residual <= 0) continue;
    const std::int64_t more = push(to, target, std::min(most - pushed, residual));
    arc(number).flow += more;
    arc(number ^ 1).flow -= more;
    pushed += more;
    if (pushed == most) return pushed;
  }
  return pushed;
}

}  // namespace arlab::simulator
