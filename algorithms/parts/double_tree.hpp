// The two binary trees of NCCL, of which a leaf of one is inside the other.
//
// Tree 0 is by the lowest set bit of the rank, tree 1 its mirror image (shifted by one if the
// number of ranks is odd). NCCL, src/graph/trees.cc; Sanders, Speck, Träff, Parallel Computing
// 35(12), 2009.
#pragma once

#include <array>

#include "algorithms/problem.hpp"

namespace arlab {

struct TreeFamily {
  static constexpr Rank kNone = -1;
  Rank parent = kNone;
  std::array<Rank, 2> children{kNone, kNone};
};

/// Returns the parent and the children of `me` in tree 0 or 1.
TreeFamily double_tree_family(Rank ranks, std::int32_t tree, Rank me);

/// Returns the number of edges between `me` and the root of that tree.
int double_tree_depth(Rank ranks, std::int32_t tree, Rank me);

}  // namespace arlab
