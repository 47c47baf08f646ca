// Forest: spanning trees of the ranks, each with a root and a weight: its share of the vector.
//
// A network defines one (simulator/forest/), and a Problem points to it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

struct WeightedTree {
  Rank root = 0;
  Count weight = 1;
  std::vector<Rank> parent{};  ///< of each rank; of the root itself
};

class Forest {
 public:
  Forest() = default;
  /// Throws Error(check) unless there is a tree, and all are spanning trees of the same ranks with
  /// a weight above 0.
  explicit Forest(std::vector<WeightedTree> trees);

  Rank ranks() const { return ranks_; }
  /// The network that a user named for it; empty: none, such as that of the simulated messages.
  const std::string& network() const { return network_; }
  void name_network(std::string network) { network_ = std::move(network); }
  std::span<const WeightedTree> trees() const { return trees_; }
  std::span<const Rank> children(std::size_t tree, Rank rank) const;
  /// Returns the sum of the weights by their greatest common divisor: trees of equal weight that
  /// make up the same forest.
  Count units() const { return first_unit_.back(); }
  /// Returns the tree that one of these is part of, from 0 to units() - 1.
  std::size_t tree_of_unit(Count unit) const;
  /// Returns the length of the longest path to the root.
  Rank height(std::size_t tree) const { return height_[tree]; }

 private:
  Rank ranks_ = 0;
  std::string network_;
  std::vector<WeightedTree> trees_;
  std::vector<Rank> height_;
  std::vector<Count> first_unit_{0};  // of each tree; one more at the end
  // The children of rank r of tree t: child_ from first_[t (ranks + 1) + r] to the next one.
  std::vector<std::size_t> first_;
  std::vector<Rank> child_;
};

}  // namespace arlab
