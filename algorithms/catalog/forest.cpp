// Forest: sums go up spanning trees of the network, and the results come back down.
//
// Each tree is a lane with its share of the vector; the network defines trees and shares so that no
// link carries more than it must (simulator/forest/). Lanes are pipelined (parts/tree_lane.hpp).
// Zhao et al., ForestColl, arXiv:2402.06787.
#include "algorithms/forest.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/parts/tree_lane.hpp"

namespace arlab::catalog {
namespace {

// Messages that share a link get equal parts of it, so that lanes should have equal shares: a tree
// of twice the weight has two lanes. If that makes too many, it has one of twice the share.
constexpr Count kMostLanes = 512;

std::size_t tree_of(const Problem& p) {
  return p.forest->units() > kMostLanes ? index(p.lane) : p.forest->tree_of_unit(p.lane);
}

// A piece costs a latency of a microsecond or less, at 10 GB/s.
TreeLane tree_lane(const Problem& p, Count asked) {
  constexpr double kElementsPerPiece = 1024;
  const std::size_t tree = tree_of(p);
  return {p.forest, tree,
          asked > 0 ? asked : wanted_pieces(p, p.forest->height(tree), kElementsPerPiece)};
}

std::string unsupported_reason(const Problem& p) {
  if (p.forest) return "";
  return "forest needs trees, which are computed for a topology of up to 128 ranks whose switches "
         "have as much bandwidth in as out";
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
  a.program = [asked](Problem p, Rank me) { return tree_program(p, me, tree_lane(p, asked)); };
  a.cost_model = [asked](const Problem& p) { return tree_cost(p, tree_lane(p, asked)); };
  a.rank_cost_model = [asked](const Problem& p, Rank me) {
    return tree_rank_cost(p, me, tree_lane(p, asked));
  };
  a.unsupported_reason = unsupported_reason;
  a.lane_weights = lane_weights;
  a.chunks_per_rank = [asked](const Problem& p) {
    return chunks_per_rank_for(tree_lane(p, asked).wanted, p.ranks);
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
