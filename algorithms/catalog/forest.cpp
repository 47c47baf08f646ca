// Forest: sums go up spanning trees of the network, and the results come back down.
//
// Each tree is a lane with its share of the vector; the network defines trees and shares so that no
// link carries more than it must (simulator/forest/). A lane is cut into pieces of its chunks, and a
// rank passes on one piece while it receives the next, so that all levels of a tree work at once.
// The result of a piece comes down while later pieces still go up.
// Zhao et al., ForestColl, arXiv:2402.06787.
#include "algorithms/forest.hpp"

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

// Messages that share a link get equal parts of it, so that lanes should have equal shares: a tree of
// twice the weight has two lanes. If that makes too many, it has one of twice the share.
constexpr Count kMostLanes = 512;

std::size_t tree_of(const Problem& p) {
  return p.forest->units() > kMostLanes ? index(p.lane) : p.forest->tree_of_unit(p.lane);
}

Count pieces(const Problem& p, Count most) { return std::min<Count>(p.ranks, most); }

Chunks piece(const Problem& p, Count most, Count number) {
  const Count count = pieces(p, most);
  const Count first = p.ranks * number / count, end = p.ranks * (number + 1) / count;
  return p.chunks(first, static_cast<Rank>(end - first));
}

// When a rank sends and receives, counted in its own rounds. A message is in the round of the parent
// that adds or sends piece k, and in the round k + delay of the child; so all ranks keep pace.
struct Pace {
  Pace(const Forest& forest, std::size_t tree, Rank me)
      : root(forest.trees()[tree].root == me), leaf(forest.children(tree, me).empty()) {
    Count depth = 0;
    for (Rank r = me; r != forest.trees()[tree].root; r = forest.trees()[tree].parent[index(r)])
      ++depth;
    delay = leaf || root ? 0 : 1;
    from_parent = 2 * depth - (leaf ? 1 : 0);
    to_children = root ? 1 : from_parent + 1;
  }
  bool root, leaf;
  Count delay;        // piece k goes up in round k + delay
  Count from_parent;  // piece k comes down in round k + from_parent
  Count to_children;  // and continues in round k + to_children

  // Returns the number of rounds in which a rank does something.
  Count rounds(Count pieces) const {
    const Count up = pieces + delay;
    const Count begin = root ? 1 : from_parent, end = pieces + (leaf ? from_parent : to_children);
    return begin <= up ? end : up + end - begin;
  }
};

// Pieces go up and come down at the same time, so that the first ones down meet the last ones up and
// no link waits for the other half to end.
Program program(Problem p, Rank me, Count most) {
  const std::size_t tree = tree_of(p);
  const Rank parent = p.forest->trees()[tree].parent[index(me)];
  const auto children = p.forest->children(tree, me);
  const Count count = p.ranks == 1 ? 0 : pieces(p, most);
  const Pace pace(*p.forest, tree, me);
  const auto exists = [&](Count number) { return number >= 0 && number < count; };
  const Count end = count == 0 ? 0 : count + (pace.leaf ? pace.from_parent : pace.to_children);
  std::vector<Action> round;
  for (Count r = 0; r < end; ++r) {
    round.clear();
    if (exists(r))
      for (const Rank child : children) round.push_back(reduce(child, piece(p, most, r)));
    if (!pace.root && exists(r - pace.delay))
      round.push_back(send(parent, piece(p, most, r - pace.delay)));
    if (!pace.root && exists(r - pace.from_parent))
      round.push_back(replace(parent, piece(p, most, r - pace.from_parent)));
    if (exists(r - pace.to_children))
      for (const Rank child : children)
        round.push_back(send(child, piece(p, most, r - pace.to_children)));
    if (!round.empty()) co_yield Round(round);
  }
}

// Returns the number of pieces that have elements.
Count filled_pieces(const Problem& p, Count most) {
  return (p.filled_chunks() * pieces(p, most) + p.ranks - 1) / p.ranks;
}

Cost cost_model(const Problem& p, Count most) {
  if (p.ranks == 1) return {};
  const Count edges = 2 * Count{p.ranks - 1};
  const Count height = p.forest->height(tree_of(p));
  return {edges * filled_pieces(p, most), edges * p.elements, pieces(p, most) + 2 * height - 1};
}

Cost rank_cost_model(const Problem& p, Rank me, Count most) {
  if (p.ranks == 1) return {};
  const std::size_t tree = tree_of(p);
  const bool root = p.forest->trees()[tree].root == me;
  const auto children = static_cast<Count>(p.forest->children(tree, me).size());
  const Count sent = children + (root ? 0 : 1);
  return {sent * filled_pieces(p, most), sent * p.elements,
          Pace(*p.forest, tree, me).rounds(pieces(p, most))};
}

std::string unsupported_reason(const Problem& p) {
  return p.forest
             ? ""
             : "forest needs trees, which are computed for a topology of up to 128 ranks: give "
               "one, and no more ranks";
}

std::vector<Count> lane_weights(const Problem& p) {
  std::vector<Count> weights;
  if (p.forest->units() > kMostLanes) {
    for (const WeightedTree& tree : p.forest->trees()) weights.push_back(tree.weight);
    return weights;
  }
  return std::vector<Count>(index(p.forest->units()), 1);
}

Algorithm with(Count most) {
  Algorithm a;
  a.name = "forest";
  a.label = "Forest";
  a.color = "#225522";
  a.family = "split";
  a.summary = "sums go up spanning trees that fit the network, and the results come back down";
  a.source = "Zhao et al., arXiv:2402.06787";
  a.formula = {"2T(m-1)Q, T lanes, Q pieces", "2N(m-1)", "Q+2h-1, height h"};
  a.collectives = {Collective::allreduce};
  a.forested = true;
  a.carries = Carries::range;
  a.program = [most](Problem p, Rank me) { return program(p, me, most); };
  a.cost_model = [most](const Problem& p) { return cost_model(p, most); };
  a.rank_cost_model = [most](const Problem& p, Rank me) { return rank_cost_model(p, me, most); };
  a.unsupported_reason = unsupported_reason;
  a.lane_weights = lane_weights;
  a.parameters = {
      {"pieces", Parameter::Unit::count, "16", "messages per tree and rank each way", 1, 1 << 20}};
  a.examples = {"forest:pieces=1", "forest:pieces=3"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const Values values = parse_values(with(16).parameters, settings, "algorithm forest");
  return with(static_cast<Count>(values.at("pieces")));
}

}  // namespace

Algorithm forest() {
  Algorithm entry = with(16);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
