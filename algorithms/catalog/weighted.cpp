// Weighted: sums go up trees in which fast ranks have many neighbors and slow ones few.
//
// Each tree is a lane with the same share of the vector. A rank sends and receives a share as often
// as it has neighbors, so that over all trees (parts/rank_trees.hpp) ranks of unequal rates are
// done together. Equal ranks are the centers of stars, and it takes as long as a ring. A link of
// half the speed costs 1/(P-1) more, not twice the time: its rank is a leaf of every tree, and so
// has to send and receive the vector only once. The idea of OptCC, arXiv:2606.01680, for a slow
// NIC.
#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/parts/rated_trees.hpp"
#include "algorithms/parts/tree_lane.hpp"

namespace arlab::catalog {
namespace {

constexpr Rank kMostRanks = 1024;  // about as many lanes

// Lanes share the links of a rank, so that a piece of each of them passes in a latency.
TreeLane rated_lane(const Problem& p, const Forest& forest) {
  constexpr double kElementsPerPiece = 512;
  const std::size_t tree = index(p.lane);
  return {&forest, tree, wanted_pieces(p, forest.height(tree), kElementsPerPiece)};
}

std::string unsupported_reason(const Problem& p, const std::vector<Rank>& given) {
  if (p.ranks > kMostRanks)
    return concat("weighted has at least a lane per rank: use at most ", kMostRanks, " ranks");
  if (given.empty())
    return "weighted needs the rates of the ranks: for example weighted:rates=1x2, where rank 0 is "
           "half as fast as all others, or weighted:record=FILE, which `arlab hunt --json FILE` "
           "writes";
  if (given.size() > index(p.ranks))
    return concat("weighted:rates has ", given.size(), " rates for ", p.ranks,
                  " ranks: give at most one each");
  return "";
}

Algorithm with(const std::vector<Rank>& given) {
  const auto trees = std::make_shared<RatedTrees>(given);
  const auto lane = [trees](const Problem& p) { return rated_lane(p, trees->of(p.ranks)); };
  Algorithm a;
  a.name = "weighted";
  a.label = "Weighted trees";
  a.color = "#3A2E6E";
  a.family = "split";
  a.summary = "sums go up trees where fast ranks have many neighbors, and results come back";
  a.source = "OptCC, arXiv:2606.01680";
  a.formula = {"2T(m-1)Q, T trees, Q pieces", "2N(m-1)", "Q+2h-1, height h"};
  a.collectives = {Collective::allreduce};
  a.few_ranks = given.empty();  // comparisons of all leave it out without rates
  a.chained = Chained::no;
  a.pipelined = true;
  a.carries = Carries::range;
  a.program = [lane](Problem p, Rank me) { return tree_program(p, me, lane(p)); };
  a.cost_model = [lane](const Problem& p) { return tree_cost(p, lane(p)); };
  a.rank_cost_model = [lane](const Problem& p, Rank me) { return tree_rank_cost(p, me, lane(p)); };
  a.unsupported_reason = [given](const Problem& p) { return unsupported_reason(p, given); };
  a.lane_weights = [trees](const Problem& p) {
    return std::vector<Count>(trees->of(p.ranks).trees().size(), 1);
  };
  a.chunks_per_rank = [lane](const Problem& p) {
    return chunks_per_rank_for(lane(p).wanted, p.ranks);
  };
  a.parameters = {
      {"rates", Parameter::Unit::sizes, "",
       "of rank 0, 1, ..., such as 1x2x2; the last is that of all others, too; record=FILE "
       "instead: those that a hunt found"}};
  a.examples = {"weighted:rates=1x2", "weighted:rates=3x1x2x7"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const std::vector<Parameter> parameters = with({}).parameters;
  std::vector<Rank> given;
  for (const Setting& setting : settings) {
    if (setting.name == "record")
      fail(Blame::usage, concat("weighted:record=", setting.value,
                                ": records are not read here: write weighted:rates= and what the "
                                "record says under \"rates\""));
    find_parameter(parameters, setting.name, "algorithm weighted");
    given = parse_sizes(setting.value, "rates");
  }
  return with(given);
}

}  // namespace

Algorithm weighted() {
  Algorithm entry = with({});
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
