// Forest: spanning trees of the ranks, each with a root and a weight: its share of the vector.
#pragma once

#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

struct WeightedTree {
  Rank root = 0;
  Count weight = 1;
  std::vector<Rank> parent{};  ///< of each rank; of the root itself
};

struct Forest {
  std::vector<WeightedTree> trees;
};

}  // namespace arlab
