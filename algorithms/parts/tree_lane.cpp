#include "algorithms/parts/tree_lane.hpp"

#include <algorithm>
#include <cmath>

namespace arlab {
namespace {

// When a rank sends and receives, counted in its own rounds. A message is in the round of the
// parent that adds or sends piece k, and in the round k + delay of the child; so all ranks keep
// pace.
struct Pace {
  Pace(const TreeLane& lane, Rank me) {
    const WeightedTree& tree = lane.forest->trees()[lane.tree];
    root = tree.root == me;
    leaf = lane.forest->children(lane.tree, me).empty();
    Count depth = 0;
    for (Rank r = me; r != tree.root; r = tree.parent[index(r)]) ++depth;
    delay = leaf || root ? 0 : 1;
    from_parent = 2 * depth - (leaf ? 1 : 0);
    to_children = root ? 1 : from_parent + 1;
  }
  bool root = false, leaf = false;
  Count delay = 0;        // piece k goes up in round k + delay
  Count from_parent = 0;  // piece k comes down in round k + from_parent
  Count to_children = 0;  // and continues in round k + to_children

  // Returns the number of rounds in which a rank does something.
  Count rounds(Count pieces) const {
    const Count up = pieces + delay;
    const Count begin = root ? 1 : from_parent, end = pieces + (leaf ? from_parent : to_children);
    return begin <= up ? end : up + end - begin;
  }
};

// Pieces go up and come down at the same time, so that the first ones down meet the last ones up
// and no link waits for the other half to end.
Program up_and_down(Problem p, Rank me, TreeLane lane) {
  const Rank parent = lane.forest->trees()[lane.tree].parent[index(me)];
  const auto children = lane.forest->children(lane.tree, me);
  const Count count = p.ranks == 1 ? 0 : lane.pieces(p);
  const Pace pace(lane, me);
  const auto exists = [&](Count number) { return number >= 0 && number < count; };
  const Count end = count == 0 ? 0 : count + (pace.leaf ? pace.from_parent : pace.to_children);
  std::vector<Action> round;
  for (Count r = 0; r < end; ++r) {
    round.clear();
    if (exists(r))
      for (const Rank child : children) round.push_back(reduce(child, piece_of(p, count, r)));
    if (!pace.root && exists(r - pace.delay))
      round.push_back(send(parent, piece_of(p, count, r - pace.delay)));
    if (!pace.root && exists(r - pace.from_parent))
      round.push_back(replace(parent, piece_of(p, count, r - pace.from_parent)));
    if (exists(r - pace.to_children))
      for (const Rank child : children)
        round.push_back(send(child, piece_of(p, count, r - pace.to_children)));
    if (!round.empty()) co_yield Round(round);
  }
}

}  // namespace

Count wanted_pieces(const Problem& p, Rank height, double elements_per_piece) {
  constexpr Count kMost = 64;
  if (p.pieces > 0) return p.pieces;
  const double elements = static_cast<double>(p.elements);
  return std::clamp<Count>(std::llround(std::sqrt(height * elements / elements_per_piece)), 1,
                           kMost);
}

Program tree_program(Problem p, Rank me, TreeLane lane) { return up_and_down(p, me, lane); }

Cost tree_cost(const Problem& p, const TreeLane& lane) {
  if (p.ranks == 1) return {};
  const Count edges = 2 * Count{p.ranks - 1}, height = lane.forest->height(lane.tree);
  return {edges * filled_pieces(p, lane.pieces(p)), edges * p.elements,
          lane.pieces(p) + 2 * height - 1};
}

Cost tree_rank_cost(const Problem& p, Rank me, const TreeLane& lane) {
  if (p.ranks == 1) return {};
  const bool root = lane.forest->trees()[lane.tree].root == me;
  const auto children = static_cast<Count>(lane.forest->children(lane.tree, me).size());
  const Count sent = children + (root ? 0 : 1);
  return {sent * filled_pieces(p, lane.pieces(p)), sent * p.elements,
          Pace(lane, me).rounds(lane.pieces(p))};
}

}  // namespace arlab
