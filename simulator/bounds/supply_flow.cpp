#include "simulator/bounds/supply_flow.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/stop.hpp"

namespace arlab::simulator {

SupplyFlow::SupplyFlow(const CapacityGraph& graph)
    : first_(index(graph.nodes) + 1),
      halves_(2 * graph.arcs.size()),
      supply_(index(graph.nodes)),
      taken_(index(graph.nodes)),
      level_(index(graph.nodes)),
      stamp_(index(graph.nodes)),
      next_(index(graph.nodes)) {
  for (const CapacityArc& arc : graph.arcs)
    ++first_[index(arc.from) + 1], ++first_[index(arc.to) + 1];
  for (std::size_t n = 0; n + 1 < first_.size(); ++n) first_[n + 1] += first_[n];
  std::vector<std::uint32_t> end(first_.begin(), first_.end() - 1);
  for (const CapacityArc& arc : graph.arcs) {
    const std::uint32_t there = end[index(arc.to)]++, back = end[index(arc.from)]++;
    halves_[there] = {arc.from, back, arc.capacity, arc.capacity};
    halves_[back] = {arc.to, there, 0, 0};
    half_of_.push_back(there);
  }
}

void SupplyFlow::set_capacity(std::size_t arc, std::int64_t capacity) {
  reset();
  Half& half = halves_[half_of_[arc]];
  half.capacity = half.spare = capacity;
}

void SupplyFlow::reset() {
  for (const std::uint32_t h : touched_halves_) halves_[h].spare = halves_[h].capacity;
  for (const NodeId n : touched_nodes_) taken_[index(n)] = 0;
  touched_halves_.clear();
  touched_nodes_.clear();
}

std::int64_t SupplyFlow::into(std::span<const NodeId> sinks, std::int64_t wanted) {
  reset();
  std::int64_t flow = 0;
  while (flow < wanted && search(sinks)) {
    stop_if_asked();
    for (const NodeId sink : sinks) flow += pull(sink, wanted - flow);
  }
  return flow;
}

// Numbers the nodes by their distance to the sinks, up to the nearest that can still supply.
bool SupplyFlow::search(std::span<const NodeId> sinks) {
  ++search_;
  queue_.clear();
  bool supplied = false;
  std::uint32_t last = UINT32_MAX;
  const auto reach = [&](NodeId node, std::uint32_t level) {
    stamp_[index(node)] = search_;
    level_[index(node)] = level;
    next_[index(node)] = first_[index(node)];
    queue_.push_back(node);
    if (supply_[index(node)] <= taken_[index(node)]) return;
    supplied = true;
    last = level;
  };
  for (const NodeId sink : sinks) reach(sink, 0);
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const NodeId node = queue_[at];
    if (level_[index(node)] >= last) break;
    for (std::uint32_t h = first_[index(node)]; h < first_[index(node) + 1]; ++h)
      if (halves_[h].spare > 0 && !found(index(halves_[h].from)))
        reach(halves_[h].from, level_[index(node)] + 1);
  }
  return supplied;
}

std::int64_t SupplyFlow::take(NodeId node, std::int64_t wanted) {
  std::int64_t& taken = taken_[index(node)];
  if (supply_[index(node)] == kAny) return wanted;
  const std::int64_t amount = std::min(wanted, supply_[index(node)] - taken);
  if (amount <= 0) return 0;
  if (taken == 0) touched_nodes_.push_back(node);
  taken += amount;
  return amount;
}

void SupplyFlow::push(Half& half, std::int64_t amount) {
  Half& back = halves_[half.reverse];
  if (half.spare == half.capacity) {
    touched_halves_.push_back(back.reverse);
    touched_halves_.push_back(half.reverse);
  }
  half.spare -= amount;
  back.spare += amount;
}

// Pulls flow to a node from its own supply and from nodes one step farther from the sinks.
std::int64_t SupplyFlow::pull(NodeId node, std::int64_t wanted) {
  std::int64_t got = take(node, wanted);
  for (std::uint32_t& h = next_[index(node)]; got < wanted && h < first_[index(node) + 1]; ++h) {
    Half& half = halves_[h];
    const auto from = index(half.from);
    if (half.spare <= 0 || !found(from) || level_[from] != level_[index(node)] + 1) continue;
    const std::int64_t amount = pull(half.from, std::min(wanted - got, half.spare));
    if (amount == 0) continue;
    push(half, amount);
    got += amount;
    if (got == wanted) break;  // this arc may have more
  }
  return got;
}

std::vector<bool> SupplyFlow::before_cut() const {
  std::vector<bool> before(stamp_.size());
  for (std::size_t n = 0; n < before.size(); ++n) before[n] = !found(n);
  return before;
}

}  // namespace arlab::simulator
