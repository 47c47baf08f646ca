#include "simulator/forest/load.hpp"

#include <algorithm>

namespace arlab::simulator {

double busiest_link_seconds(const Forest& forest, const Fabric& fabric) {
  Router router(fabric.topology, fabric.routing, fabric.seed);
  Count total = 0;
  for (const WeightedTree& tree : forest.trees()) total += tree.weight;
  std::vector<Count> load(fabric.topology.links().size());
  const auto carry = [&](Rank from, Rank to, Count weight) {
    for (const LinkId link : router.route(fabric.host_of[index(from)], fabric.host_of[index(to)]))
      load[index(link)] += weight;
  };
  for (const WeightedTree& tree : forest.trees())
    for (std::size_t r = 0; r < tree.parent.size(); ++r) {
      const auto rank = static_cast<Rank>(r);
      if (rank == tree.root) continue;
      carry(rank, tree.parent[r], tree.weight);
      carry(tree.parent[r], rank, tree.weight);
    }
  double seconds = 0;
  for (std::size_t l = 0; l < load.size(); ++l)
    seconds =
        std::max(seconds, static_cast<double>(load[l]) / fabric.topology.links()[l].bandwidth);
  return seconds / static_cast<double>(total);
}

}  // namespace arlab::simulator
