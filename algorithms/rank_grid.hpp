// RankGrid: the ranks as a grid or torus. Rank numbers are mixed radix; the first dimension
// varies fastest, as in topologies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class RankGrid {
 public:
  /// Throws Error(usage) unless each size is at least 1 and their product fits a Rank.
  explicit RankGrid(std::vector<Rank> sizes);

  Rank ranks() const { return ranks_; }
  int dimensions() const { return static_cast<int>(sizes_.size()); }
  Rank size(int dimension) const { return sizes_[index(dimension)]; }
  /// Returns the distance between the numbers of ranks that are neighbors in the dimension.
  Rank stride(int dimension) const { return strides_[index(dimension)]; }
  Rank coordinate(Rank rank, int dimension) const {
    return rank / stride(dimension) % size(dimension);
  }
  /// Returns the rank `steps` away along the dimension, around its end.
  Rank moved(Rank rank, int dimension, Count steps) const;
  /// Returns "4x4x2".
  std::string text() const;
  bool operator==(const RankGrid&) const = default;

 private:
  std::vector<Rank> sizes_, strides_;
  Rank ranks_ = 1;
};

}  // namespace arlab
