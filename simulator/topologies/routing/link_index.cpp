#include "simulator/topologies/routing/link_index.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/types.hpp"

namespace arlab::simulator {

LinkIndex::LinkIndex(const Topology& topology)
    : sorted_(topology.links().size()), first_(static_cast<std::size_t>(topology.nodes()) + 1) {
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(), [&](LinkId a, LinkId b) {
    const Link &x = topology.link(a), &y = topology.link(b);
    return std::tuple(x.from, x.to, a) < std::tuple(y.from, y.to, b);
  });
  for (const LinkId id : sorted_) targets_.push_back(topology.link(id).to);
  for (const Link& link : topology.links()) ++first_[static_cast<std::size_t>(link.from) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::span<const LinkId> LinkIndex::out_of(NodeId node) const {
  const std::size_t begin = first_[static_cast<std::size_t>(node)];
  return std::span(sorted_).subspan(begin, first_[static_cast<std::size_t>(node) + 1] - begin);
}

// The numbers of neighbors are often consecutive, from the first one on or up to the last one.
std::span<const LinkId> LinkIndex::between(NodeId from, NodeId to) const {
  const NodeId* const begin = targets_.data() + first_[index(from)];
  const NodeId* const end = targets_.data() + first_[index(from) + 1];
  if (begin == end || to < *begin || to > end[-1]) return {};
  const std::ptrdiff_t below = to - *begin, above = end[-1] - to;
  const NodeId* first = begin;
  if (below < end - begin && begin[below] == to)
    first = begin + below;
  else if (above < end - begin && end[-1 - above] == to)
    first = end - 1 - above;
  else
    first = std::lower_bound(begin, end, to);
  while (first != begin && first[-1] == to) --first;
  const NodeId* last = first;
  while (last != end && *last == to) ++last;
  return {sorted_.data() + (first - targets_.data()), static_cast<std::size_t>(last - first)};
}

void RouteBuilder::to(NodeId neighbor, Count cable) {
  const auto cables = links_.between(at_, neighbor);
  expects(!cables.empty(), "neighbors of a structured topology are linked");
  route_.push_back(
      cables[cables.size() == 1 ? 0 : static_cast<std::size_t>(cable) % cables.size()]);
  at_ = neighbor;
}

}  // namespace arlab::simulator
