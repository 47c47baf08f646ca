#include "simulator/topologies/build/dragonfly.hpp"

#include <utility>
#include <vector>

namespace arlab::simulator {

DragonflyShape::Cable DragonflyShape::cable(std::int32_t from, std::int32_t to,
                                            std::int32_t which) const {
  const std::int32_t others = d_.groups - 1;
  const auto ends = [&](std::int32_t i) {
    const auto router_towards = [&](std::int32_t a, std::int32_t b) {
      const std::int32_t ahead = (b - a + d_.groups) % d_.groups;
      return router(a, (ahead - 1 + i * others) / d_.globals);
    };
    return std::pair(router_towards(from, to), router_towards(to, from));
  };
  Cable made{ends(which).first, ends(which).second, 0};
  for (std::int32_t i = 0; i < which; ++i) made.which += ends(i) == ends(which) ? 1 : 0;
  return made;
}

DragonflyShape::Cable DragonflyShape::best_cable(NodeId here, std::int32_t group, NodeId goal,
                                                 std::uint64_t key) const {
  const auto local_links = [&](const Cable& one) {
    return (one.out == here ? 0 : 1) + (group_of(goal) == group && one.in != goal ? 1 : 0);
  };
  std::vector<Cable> best;
  for (std::int32_t i = 0; i < cables(); ++i) {
    const Cable one = cable(group_of(here), group, i);
    if (!best.empty() && local_links(one) < local_links(best[0])) best.clear();
    if (best.empty() || local_links(one) == local_links(best[0])) best.push_back(one);
  }
  return best[key % best.size()];
}

}  // namespace arlab::simulator
