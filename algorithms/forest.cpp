#include "algorithms/forest.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"

namespace arlab {

Forest::Forest(std::vector<WeightedTree> trees) : trees_(std::move(trees)) {
  expects(!trees_.empty(), "a forest has a tree");
  ranks_ = static_cast<Rank>(trees_[0].parent.size());
  Count divisor = 0;
  for (const WeightedTree& tree : trees_) divisor = std::gcd(divisor, tree.weight);
  for (const WeightedTree& tree : trees_)
    first_unit_.push_back(first_unit_.back() + tree.weight / std::max<Count>(divisor, 1));
  for (const WeightedTree& tree : trees_) {
    expects(tree.weight > 0 && tree.parent.size() == index(ranks_) && tree.root >= 0 &&
                tree.root < ranks_ && tree.parent[index(tree.root)] == tree.root,
            "a tree of a forest has a weight, a root, and a parent of each rank");
    std::vector<std::vector<Rank>> children(index(ranks_));
    for (Rank r = 0; r < ranks_; ++r) {
      const Rank parent = tree.parent[index(r)];
      expects(parent >= 0 && parent < ranks_, "a parent is a rank");
      if (r != tree.root) children[index(parent)].push_back(r);
    }
    std::vector<Rank> reached{tree.root}, depth(index(ranks_));
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Rank child : children[index(reached[i])]) {
        depth[index(child)] = depth[index(reached[i])] + 1;
        reached.push_back(child);
      }
    expects(reached.size() == index(ranks_), "every rank of a tree leads to the root");
    height_.push_back(*std::max_element(depth.begin(), depth.end()));
    for (const auto& list : children) {
      first_.push_back(child_.size());
      child_.insert(child_.end(), list.begin(), list.end());
    }
    first_.push_back(child_.size());
  }
}

std::size_t Forest::tree_of_unit(Count unit) const {
  const auto after = std::upper_bound(first_unit_.begin(), first_unit_.end(), unit);
  return static_cast<std::size_t>(after - first_unit_.begin()) - 1;
}

std::span<const Rank> Forest::children(std::size_t tree, Rank rank) const {
  const std::size_t at = tree * (index(ranks_) + 1) + index(rank);
  return std::span(child_).subspan(first_[at], first_[at + 1] - first_[at]);
}

}  // namespace arlab
