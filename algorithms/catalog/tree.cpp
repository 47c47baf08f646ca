// Tree: a binomial reduce to the root, then a binomial broadcast from it.
//
// Ranks are numbered from the root. In step k of the reduce, every rank whose lowest set bit is k
// sends to the rank without that bit and is done. The broadcast runs the same tree backwards,
// largest subtree first. Thakur, Rabenseifner, Gropp, Optimization of Collective
// Communication Operations in MPICH, IJHPCA 19(1), 2005.
#include <algorithm>
#include <bit>

#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

// The distance to the parent is the lowest set bit of the rank's number. The root has no parent.
Count parent_distance(const Problem& p, Rank number) {
  return number == 0 ? Count{1} << ceil_log2(p.ranks) : number & -number;
}

Count children(const Problem& p, Rank number) {
  const int below_parent = floor_log2(parent_distance(p, number));
  return std::min(below_parent, ceil_log2(p.ranks - number));
}

Program program(Problem p, Rank me) {
  const Rank number = p.wrap(Count{me} - p.root);
  const Count parent = parent_distance(p, number);
  if (p.reduces()) {
    for (Count d = 1; d < parent && number + d < p.ranks; d *= 2)
      co_yield reduce(p.wrap(me + d), p.all());
    if (number != 0) co_yield send(p.wrap(me - parent), p.all());
  }
  if (p.shares()) {
    if (number != 0) co_yield replace(p.wrap(me - parent), p.all());
    for (Count d = parent / 2; d >= 1; d /= 2)
      if (number + d < p.ranks) co_yield send(p.wrap(me + d), p.all());
  }
}

Cost cost_model(const Problem& p) {
  const Count edges = p.halves() * Count{p.ranks - 1};
  return {p.elements > 0 ? edges : 0, edges * p.elements, p.halves() * ceil_log2(p.ranks)};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Rank number = p.wrap(Count{me} - p.root);
  const Count up = number == 0 ? 0 : 1, down = children(p, number);
  const Count sent = (p.reduces() ? up : 0) + (p.shares() ? down : 0);
  return {p.elements > 0 ? sent : 0, sent * p.elements, p.halves() * (up + down)};
}

}  // namespace

Algorithm tree() {
  return {
      .name = "tree",
      .label = "Tree",
      .color = "#5E7759",
      .family = "whole",
      .summary = "a binomial reduce to the root, then a binomial broadcast from it",
      .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
      .formula = {"2(m-1)", "2N(m-1)", "2 ceil(log2 m)"},
      .collectives = {Collective::allreduce, Collective::reduce, Collective::broadcast},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .link_claims = {{"ring", LinkClaim::Of::all, "m log2 m",
                       [](const Problem& p) {
                         const int steps = floor_log2(p.ranks);
                         return Count{1} << steps == p.ranks ? 1.0 * p.ranks * steps : 0;
                       }}},
  };
}

}  // namespace arlab::catalog
