// A lane whose sums go up a spanning tree of the ranks, and whose results come back down.
//
// The lane is cut into pieces of its chunks. A rank passes on one piece while it receives the next,
// so that all levels of the tree work at once. The result of a piece comes down while later pieces
// still go up, so that links are used in both directions.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/parts/pieces.hpp"

namespace arlab {

struct TreeLane {
  const Forest* forest = nullptr;  ///< must outlive programs of the lane
  std::size_t tree = 0;
  Count wanted = 1;  ///< pieces, if the lane has enough chunks

  Count pieces(const Problem& p) const { return std::min<Count>(p.parts(), wanted); }
};

/// Returns the problem's pieces, if it has some; else the best number, up to 64, if time passes
/// with each as with this many elements of the lane. The first piece needs 2h - 1 rounds for a tree
/// of height h, in which links idle.
Count wanted_pieces(const Problem& p, Rank height, double elements_per_piece);

Program tree_program(Problem p, Rank me, TreeLane lane);
Cost tree_cost(const Problem& p, const TreeLane& lane);
Cost tree_rank_cost(const Problem& p, Rank me, const TreeLane& lane);

}  // namespace arlab
