#include "simulator/forest/limited_flow.hpp"

#include <algorithm>
#include <span>

#include "algorithms/base/error.hpp"
#include "algorithms/base/stop.hpp"

namespace arlab::simulator {

LimitedFlow::LimitedFlow(Node nodes) {
  for (Node n = 0; n < nodes; ++n) add_node();
}

LimitedFlow::Node LimitedFlow::add_node() {
  const std::size_t nodes = arcs_.size() + 1;
  arcs_.emplace_back();
  neighbors_.emplace_back();
  number_.resize(nodes);
  for (auto& row : number_) row.resize(nodes, -1);
  return static_cast<Node>(nodes - 1);
}

std::int64_t LimitedFlow::capacity(Node from, Node to) const {
  const std::int32_t number = number_[index(from)][index(to)];
  return number < 0 ? 0 : arcs_[index(from)][index(number)].capacity;
}

void LimitedFlow::add(Node from, Node to, std::int64_t capacity) {
  std::int32_t& number = number_[index(from)][index(to)];
  if (number < 0) {
    auto &there = arcs_[index(from)], &back = arcs_[index(to)];
    number = static_cast<std::int32_t>(there.size());
    number_[index(to)][index(from)] = static_cast<std::int32_t>(back.size());
    there.push_back({to, number_[index(to)][index(from)], 0, 0});
    back.push_back({from, number, 0, 0});
    neighbors_[index(from)].push_back(to);
    neighbors_[index(to)].push_back(from);
  }
  Arc& arc = arcs_[index(from)][index(number)];
  arc.capacity += capacity;
  expects(arc.capacity >= 0, "a capacity is at least 0");
  if (capacity < 0 && is_kept_) lowered_.push_back({from, to, number});
}

std::int64_t LimitedFlow::flow(Node source, Node target, std::int64_t limit) {
  for (auto& arcs : arcs_)
    for (Arc& arc : arcs) arc.residual = arc.capacity;
  return augment(source, target, limit);
}

bool LimitedFlow::reaches(Node source, Node target, std::int64_t limit, Kept& kept) {
  stop_if_asked();
  if (kept.flow.empty()) {
    if (flow(source, target, limit) < limit) return false;
    keep(kept);
    return true;
  }
  const std::span<const Lowered> lowered(lowered_.begin() + static_cast<std::ptrdiff_t>(kept.seen),
                                         lowered_.end());
  if (std::ranges::all_of(lowered, [&](const Lowered& l) { return fits(kept, l); })) {
    kept.seen = lowered_.size();
    return true;
  }
  restore(kept);
  for (const Lowered& l : lowered)
    if (!pass_by(l)) return false;  // what is kept may fit again later
  keep(kept);
  return true;
}

void LimitedFlow::keep(Kept& kept) {
  is_kept_ = true;
  kept.seen = lowered_.size();
  kept.flow.resize(arcs_.size());
  for (std::size_t n = 0; n < arcs_.size(); ++n) {
    kept.flow[n].resize(arcs_[n].size());
    for (std::size_t a = 0; a < arcs_[n].size(); ++a)
      kept.flow[n][a] = arcs_[n][a].capacity - arcs_[n][a].residual;
  }
}

void LimitedFlow::restore(const Kept& kept) {
  for (std::size_t n = 0; n < arcs_.size(); ++n)
    for (std::size_t a = 0; a < arcs_[n].size(); ++a) {
      const bool is_new = n >= kept.flow.size() || a >= kept.flow[n].size();
      arcs_[n][a].residual = arcs_[n][a].capacity - (is_new ? 0 : kept.flow[n][a]);
    }
}

bool LimitedFlow::fits(const Kept& kept, const Lowered& l) const {
  if (index(l.from) >= kept.flow.size()) return true;
  const std::vector<std::int64_t>& flow = kept.flow[index(l.from)];
  const std::size_t a = index(l.number);
  return a >= flow.size() || flow[a] <= arcs_[index(l.from)][a].capacity;
}

// Sends what is too much on an arc another way to its end. If there is a flow that fits, then there
// are such ways for one arc after the other: the flows' difference contains them.
bool LimitedFlow::pass_by(const Lowered& l) {
  Arc& arc = arcs_[index(l.from)][index(l.number)];
  const std::int64_t excess = -arc.residual;
  if (excess <= 0) return true;
  arc.residual = 0;
  arcs_[index(l.to)][index(arc.back)].residual -= excess;
  return augment(l.from, l.to, excess) == excess;
}

std::int64_t LimitedFlow::augment(Node source, Node target, std::int64_t limit) {
  std::int64_t total = 0;
  while (total < limit && number_levels(source, target)) {
    stop_if_asked();
    next_.assign(arcs_.size(), 0);
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
  level_.assign(arcs_.size(), -1);
  level_[index(source)] = 0;
  std::vector<Node> reached{source};
  for (std::size_t i = 0; i < reached.size() && level_[index(target)] < 0; ++i)
    for (const Arc& arc : arcs_[index(reached[i])])
      if (arc.residual > 0 && level_[index(arc.to)] < 0) {
        level_[index(arc.to)] = level_[index(reached[i])] + 1;
        reached.push_back(arc.to);
      }
  return level_[index(target)] >= 0;
}

std::int64_t LimitedFlow::push(Node node, Node target, std::int64_t most) {
  if (node == target) return most;
  auto& arcs = arcs_[index(node)];
  std::int64_t pushed = 0;
  for (std::size_t& i = next_[index(node)]; i < arcs.size(); ++i) {
    Arc& arc = arcs[i];
    if (arc.residual <= 0 || level_[index(arc.to)] != level_[index(node)] + 1) continue;
    const std::int64_t more = push(arc.to, target, std::min(most - pushed, arc.residual));
    arc.residual -= more;
    arcs_[index(arc.to)][index(arc.back)].residual += more;
    pushed += more;
    if (pushed == most) return pushed;
  }
  return pushed;
}

}  // namespace arlab::simulator
