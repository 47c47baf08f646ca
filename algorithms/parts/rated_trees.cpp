#include "algorithms/parts/rated_trees.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/parts/rank_trees.hpp"

namespace arlab {

RatedTrees::~RatedTrees() {
  for (const Made* made = first_.load(); made;) delete std::exchange(made, made->next);
}

const Forest& RatedTrees::of(Rank ranks) {
  for (const Made* made = first_.load(std::memory_order_acquire); made; made = made->next)
    if (made->forest.ranks() == ranks) return made->forest;
  expects(!rates_.empty(), "trees without rates");
  std::vector<double> all;
  for (Rank r = 0; r < ranks; ++r) all.push_back(rates_[std::min(index(r), rates_.size() - 1)]);
  Made* const added = std::make_unique<Made>(Made{trees_for(all), first_.load()}).release();
  while (!first_.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
  }
  return added->forest;
}

}  // namespace arlab
