// LinkOrder: a fixed order of the links of a network, by which waiting for room never goes in a
// circle.
//
// A packet stays on its virtual channel as long as its route goes forward in the order, and goes on
// to the next channel where it goes back (the dateline of a ring). Then whoever waits, waits for a
// queue that comes later in (channel, order): Dally & Seitz, Deadlock-free message routing in
// multiprocessor interconnection networks, IEEE Trans. Computers C-36(5), 1987. It holds for any
// network and any routes.
#pragma once

#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class LinkOrder {
 public:
  explicit LinkOrder(const Topology& topology);

  /// The link's place in the order.
  Count place(LinkId link) const { return place_[static_cast<std::size_t>(link)]; }
  /// The virtual channel of the packet on a link, if it was on `channel` of the link before.
  std::size_t channel_after(LinkId before, std::size_t channel, LinkId link) const {
    return channel + (place(link) > place(before) ? 0 : 1);
  }

 private:
  std::vector<Count> place_;  // of each link
};

}  // namespace arlab::simulator
