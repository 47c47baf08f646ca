#include "simulator/bounds/ordered_partition.hpp"

#include <algorithm>
#include <tuple>

#include "algorithms/base/random.hpp"

namespace arlab::simulator {

Neighborhoods::Neighborhoods(const CapacityGraph& graph)
    : of(static_cast<std::size_t>(graph.nodes)) {
  for (const CapacityArc& arc : graph.arcs) {
    const std::uint64_t kind = mixed(static_cast<std::uint64_t>(arc.capacity)) ^
                               static_cast<std::uint64_t>(arc.latency.count());
    of[static_cast<std::size_t>(arc.from)].push_back({arc.to, mixed(kind)});
    of[static_cast<std::size_t>(arc.to)].push_back({arc.from, mixed(~kind)});
  }
}

OrderedPartition::OrderedPartition(const Neighborhoods& neighborhoods,
                                   const std::vector<bool>& is_host)
    : neighborhoods_(&neighborhoods),
      place_(is_host.size()),
      cell_(is_host.size()),
      size_(is_host.size()),
      seen_(is_host.size()),
      touched_(is_host.size()),
      is_waiting_(is_host.size()) {
  for (const bool hosts : {true, false})
    for (std::size_t n = 0; n < is_host.size(); ++n)
      if (is_host[n] == hosts) order_.push_back(static_cast<NodeId>(n));
  const auto hosts = static_cast<Place>(std::count(is_host.begin(), is_host.end(), true));
  for (Place p = 0; p < order_.size(); ++p) {
    const auto node = static_cast<std::size_t>(order_[p]);
    place_[node] = p;
    cell_[node] = p < hosts ? 0 : hosts;
    ++size_[cell_[node]];
  }
  std::vector<Place> waiting{0};
  if (hosts < order_.size()) waiting.push_back(hosts);
  refine(std::move(waiting));
}

void OrderedPartition::swap_places(Place a, Place b) {
  std::swap(order_[a], order_[b]);
  place_[static_cast<std::size_t>(order_[a])] = a;
  place_[static_cast<std::size_t>(order_[b])] = b;
}

void OrderedPartition::single_out(NodeId node) {
  const Place first = cell_of(node);
  if (size_[first] == 1) return;
  swap_places(first, place_[static_cast<std::size_t>(node)]);
  size_[first + 1] = size_[first] - 1;
  size_[first] = 1;
  for (Place p = first + 1; p <= first + size_[first + 1]; ++p)
    cell_[static_cast<std::size_t>(order_[p])] = first + 1;
  refine({first});
}

// Splits cells by what their nodes see in each waiting cell, until nothing changes. Of the parts of
// a split cell all but the largest wait: what a node sees in that one follows from the others.
void OrderedPartition::refine(std::vector<Place> waiting) {
  for (const Place cell : waiting) is_waiting_[cell] = true;
  std::vector<NodeId> touched;
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const Place by = waiting[next];
    is_waiting_[by] = false;
    touched.clear();
    for (Place p = by; p < by + size_[by]; ++p)
      for (const auto& [node, arc] : neighborhoods_->of[static_cast<std::size_t>(order_[p])]) {
        const auto n = static_cast<std::size_t>(node);
        if (!touched_[n]) {
          touched_[n] = true;
          seen_[n] = 0;
          touched.push_back(node);
        }
        seen_[n] += arc;
      }
    const auto key = [&](NodeId node) {
      const auto n = static_cast<std::size_t>(node);
      return std::tuple(cell_[n], seen_[n]);
    };
    std::sort(touched.begin(), touched.end(), [&](NodeId a, NodeId b) { return key(a) < key(b); });
    for (const NodeId node : touched) touched_[static_cast<std::size_t>(node)] = false;
    for (auto first = touched.cbegin(); first != touched.cend();) {
      const Place cell = cell_of(*first);
      const auto last =
          std::find_if(first, touched.cend(), [&](NodeId node) { return cell_of(node) != cell; });
      split(cell, first, last, waiting);
      first = last;
    }
  }
}

// Splits a cell into its nodes that saw nothing and those of [first, last) by what they saw.
void OrderedPartition::split(Place cell, std::vector<NodeId>::const_iterator first,
                             std::vector<NodeId>::const_iterator last,
                             std::vector<Place>& waiting) {
  const std::size_t whole = size_[cell], seeing = static_cast<std::size_t>(last - first);
  const auto seen = [&](NodeId node) { return seen_[static_cast<std::size_t>(node)]; };
  if (seeing == whole && seen(*first) == seen(*(last - 1))) return;
  std::vector<Place> parts;
  if (seeing < whole) parts.push_back(cell);
  Place to = cell + whole - seeing;
  for (auto node = first; node != last; ++node, ++to) {
    swap_places(to, place_[static_cast<std::size_t>(*node)]);
    if (node == first || seen(*node) != seen(*(node - 1))) parts.push_back(to);
  }
  std::size_t largest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    size_[parts[i]] = (i + 1 < parts.size() ? parts[i + 1] : cell + whole) - parts[i];
    if (size_[parts[i]] > size_[parts[largest]]) largest = i;
    for (Place p = parts[i]; p < parts[i] + size_[parts[i]]; ++p)
      cell_[static_cast<std::size_t>(order_[p])] = parts[i];
  }
  const bool waits = is_waiting_[cell];
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (waits ? parts[i] != cell : i != largest) {
      is_waiting_[parts[i]] = true;
      waiting.push_back(parts[i]);
    }
}

}  // namespace arlab::simulator
