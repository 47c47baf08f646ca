// LinkOrder: a total order of the links of a network that makes routing free of deadlocks.
//
// A packet stays on its virtual channel while its route ascends in the order, and moves to the next
// channel where the route descends (the dateline of a ring). So a packet waits only for queues that
// come later in (channel, order), and no cycle of waiting packets exists. Dally & Seitz,
// Deadlock-free message routing in multiprocessor interconnection networks, IEEE Trans. Computers
// C-36(5), 1987. This holds for any network and any routes.
#pragma once

#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class LinkOrder {
 public:
  explicit LinkOrder(const Topology& topology);

  /// Returns the link's place in the order.
  Count place(LinkId link) const { return place_[static_cast<std::size_t>(link)]; }
  /// Returns the packet's virtual channel on `link`, if it used `channel` on the link before.
  std::size_t channel_after(LinkId before, std::size_t channel, LinkId link) const {
    return channel + (place(link) > place(before) ? 0 : 1);
  }

 private:
  std::vector<Count> place_;  // of each link
};

}  // namespace arlab::simulator
