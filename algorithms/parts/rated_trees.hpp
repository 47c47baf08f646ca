// The trees of some rates, by number of ranks, each made when it is first needed.
#pragma once

#include <atomic>
#include <vector>

#include "algorithms/forest.hpp"

namespace arlab {

/// Threads may ask at once: the trees are in a list that only grows. What two add at the same time
/// is there twice, which is harmless.
class RatedTrees {
 public:
  /// The last rate is that of all ranks that follow, too.
  explicit RatedTrees(std::vector<Rank> rates) : rates_(std::move(rates)) {}
  RatedTrees(const RatedTrees&) = delete;
  RatedTrees& operator=(const RatedTrees&) = delete;
  ~RatedTrees();

  /// Returns trees_for() the rates of this many ranks (rank_trees.hpp). Valid as long as this.
  const Forest& of(Rank ranks);

 private:
  struct Made {
    Forest forest;
    const Made* next = nullptr;
  };
  const std::vector<Rank> rates_;
  std::atomic<const Made*> first_{nullptr};
};

}  // namespace arlab
