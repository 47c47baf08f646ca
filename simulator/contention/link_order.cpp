#include "simulator/contention/link_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace arlab::simulator {

// First links up from the hosts, then links along a level to higher nodes, then to lower ones, then
// links down: routes through a tree, or along a dimension of a grid, seldom descend.
LinkOrder::LinkOrder(const Topology& topology) : place_(topology.links().size()) {
  const auto key = [&](LinkId id) {
    const Link& link = topology.link(id);
    const int from = topology.node(link.from).level, to = topology.node(link.to).level;
    const int phase = to > from ? 0 : to < from ? 3 : link.from < link.to ? 1 : 2;
    const int place = phase == 0 ? from : phase == 1 ? link.from : phase == 2 ? -link.from : -from;
    return std::tuple(phase, place, id);
  };
  std::vector<LinkId> links(place_.size());
  std::iota(links.begin(), links.end(), 0);
  std::sort(links.begin(), links.end(), [&](LinkId a, LinkId b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < links.size(); ++i)
    place_[static_cast<std::size_t>(links[i])] = static_cast<Count>(i);
}

}  // namespace arlab::simulator
