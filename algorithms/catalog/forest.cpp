// Forest: sums go up spanning trees of the network, and the results come back down.
//
// Each tree is a lane with its share of the vector; the network defines trees and shares so that no
// link carries more than it must (simulator/forest/). A lane is cut into pieces of its chunks, and
// a rank passes on one piece while it receives the next, so that all levels of a tree work at once.
// The result of a piece comes down while later pieces still go up. Zhao et al., ForestColl,
// arXiv:2402.06787.
#include "algorithms/forest.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

// Messages that share a link get equal parts of it, so that lanes should have equal shares: a tree
// of twice the weight has two lanes. If that makes too many, it has one of twice the share.
constexpr Count kMostLanes = 512;

std::size_t tree_of(const Problem& p) {
  return p.forest->units() > kMostLanes ? index(p.lane) : p.forest->tree_of_unit(p.lane);
}

// Returns into how many pieces the share of a tree is cut, if the vector had enough chunks. Filling
// a tree of height h takes 2h pieces of n/Q elements, and each of Q pieces a latency, so that the
// best Q grows with the root of h n. The constant suits latencies of a microsecond at 10 GB/s.
Count wanted(const Problem& p, Count asked) {
  constexpr double kElements = 1024;
  constexpr Count kMost = 64;
  if (asked > 0) return asked;
  if (p.pieces > 0) return p.pieces;
  const double height = p.forest->height(tree_of(p)), elements = static_cast<double>(p.elements);
  return std::clamp<Count>(std::llround(std::sqrt(height * elements / kElements)), 1, kMost);
}

Count pieces(const Problem& p, Count asked) { return std::min<Count>(p.parts(), wanted(p, asked)); }

Chunks piece(const Problem& p, Count asked, Count number) {
  const Count count = pieces(p, asked);
  const Count first = p.parts() * number / count, end = p.parts() * (number + 1) / count;
  return p.chunks(first, static_cast<Rank>(end - first));
}

// When a rank sends and receives, counted in its own rounds. A message is in the round of the
// parent that adds or sends piece k, and in the round k + delay of the child; so all ranks keep
// pace.
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

// Pieces go up and come down at the same time, so that the first ones down meet the last ones up
// and no link waits for the other half to end.
Program program(Problem p, Rank me, Count asked) {
  const std::size_t tree = tree_of(p);
  const Rank parent = p.forest->trees()[tree].parent[index(me)];
  const auto children = p.forest->children(tree, me);
  const Count count = p.ranks == 1 ? 0 : pieces(p, asked);
  const Pace pace(*p.forest, tree, me);
  const auto exists = [&](Count number) { return number >= 0 && number < count; };
  const Count end = count == 0 ? 0 : count + (pace.leaf ? pace.from_parent : pace.to_children);
  std::vector<Action> round;
  for (Count r = 0; r < end; ++r) {
    round.clear();
    if (exists(r))
      for (const Rank child : children) round.push_back(reduce(child, piece(p, asked, r)));
    if (!pace.root && exists(r - pace.delay))
      round.push_back(send(parent, piece(p, asked, r - pace.delay)));
    if (!pace.root && exists(r - pace.from_parent))
      round.push_back(replace(parent, piece(p, asked, r - pace.from_parent)));
    if (exists(r - pace.to_children))
      for (const Rank child : children)
        round.push_back(send(child, piece(p, asked, r - pace.to_children)));
    if (!round.empty()) co_yield Round(round);
  }
}

// Returns the number of pieces that have elements.
Count filled_pieces(const Problem& p, Count asked) {
  return (p.filled_chunks() * pieces(p, asked) + p.parts() - 1) / p.parts();
}

Cost cost_model(const Problem& p, Count asked) {
  if (p.ranks == 1) return {};
  const Count edges = 2 * Count{p.ranks - 1};
  const Count height = p.forest->height(tree_of(p));
  return {edges * filled_pieces(p, asked), edges * p.elements, pieces(p, asked) + 2 * height - 1};
}

Cost rank_cost_model(const Problem& p, Rank me, Count asked) {
  if (p.ranks == 1) return {};
  const std::size_t tree = tree_of(p);
  const bool root = p.forest->trees()[tree].root == me;
  const auto children = static_cast<Count>(p.forest->children(tree, me).size());
  const Count sent = children + (root ? 0 : 1);
  return {sent * filled_pieces(p, asked), sent * p.elements,
          Pace(*p.forest, tree, me).rounds(pieces(p, asked))};
}

std::string unsupported_reason(const Problem& p) {
  if (p.forest) return "";
  return "forest needs trees, which are computed for a topology of up to 128 ranks";
}

std::vector<Count> lane_weights(const Problem& p) {
  std::vector<Count> weights;
  if (p.forest->units() > kMostLanes) {
    for (const WeightedTree& tree : p.forest->trees()) weights.push_back(tree.weight);
    return weights;
  }
  return std::vector<Count>(index(p.forest->units()), 1);
}

Algorithm with(Count asked) {
  Algorithm a;
  a.name = "forest";
  a.label = "Forest";
  a.color = "#0E521B";
  a.family = "split";
  a.summary = "sums go up spanning trees that fit the network, and the results come back down";
  a.source = "Zhao et al., arXiv:2402.06787";
  a.formula = {"2T(m-1)Q, T lanes, Q pieces", "2N(m-1)", "Q+2h-1, height h"};
  a.collectives = {Collective::allreduce};
  a.forested = true;
  a.chained = Chained::no;
  a.pipelined = asked == 0;
  a.carries = Carries::range;
  a.program = [asked](Problem p, Rank me) { return program(p, me, asked); };
  a.cost_model = [asked](const Problem& p) { return cost_model(p, asked); };
  a.rank_cost_model = [asked](const Problem& p, Rank me) { return rank_cost_model(p, me, asked); };
  a.unsupported_reason = unsupported_reason;
  a.lane_weights = lane_weights;
  a.chunks_per_rank = [asked](const Problem& p) {
    return static_cast<Rank>((wanted(p, asked) + p.ranks - 1) / p.ranks);
  };
  a.parameters = {{"pieces", Parameter::Unit::count, "0",
                   "messages per tree and rank each way; 0: 1 to 64, by size", 0, 1 << 20}};
  a.examples = {"forest:pieces=1", "forest:pieces=3", "forest:pieces=40"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const Values values = parse_values(with(0).parameters, settings, "algorithm forest");
  return with(static_cast<Count>(values.at("pieces")));
}

}  // namespace

Algorithm forest() {
  Algorithm entry = with(0);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
