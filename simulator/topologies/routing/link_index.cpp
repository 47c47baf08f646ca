#include "simulator/topologies/routing/link_index.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {

LinkIndex::LinkIndex(const Topology& topology)
    : topology_(topology),
      sorted_(topology.links().size()),
      first_(static_cast<std::size_t>(topology.nodes()) + 1) {
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(), [&](LinkId a, LinkId b) {
    const Link &x = topology.link(a), &y = topology.link(b);
    return std::tuple(x.from, x.to, a) < std::tuple(y.from, y.to, b);
  });
  for (const Link& link : topology.links()) ++first_[static_cast<std::size_t>(link.from) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::span<const LinkId> LinkIndex::out_of(NodeId node) const {
  const std::size_t begin = first_[static_cast<std::size_t>(node)];
  return std::span(sorted_).subspan(begin, first_[static_cast<std::size_t>(node) + 1] - begin);
}

std::span<const LinkId> LinkIndex::between(NodeId from, NodeId to) const {
  const auto out = out_of(from);
  const auto begin = std::lower_bound(out.begin(), out.end(), to, [&](LinkId id, NodeId node) {
    return topology_.link(id).to < node;
  });
  auto end = begin;
  while (end != out.end() && topology_.link(*end).to == to) ++end;
  return {begin, end};
}

void RouteBuilder::to(NodeId neighbor, Count cable) {
  const auto cables = links_.between(at_, neighbor);
  expects(!cables.empty(), "neighbors of a structured topology are linked");
  take(cables[static_cast<std::size_t>(cable) % cables.size()]);
}

}  // namespace arlab::simulator
