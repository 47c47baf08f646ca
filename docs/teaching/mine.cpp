// Mine: describe the algorithm in one line here.
//
// Copy this file to algorithms/catalog/mine.cpp, build, and run `arlab verify mine -p 1..16+1`. At
// first the vector travels once along the line of ranks, and no rank sends the sum back.
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  if (me > 0) co_yield reduce(me - 1, p.all());
  if (me < p.ranks - 1) co_yield send(me + 1, p.all());
}

// The cost of the whole run: messages, elements sent, the longest chain of rounds.
Cost cost_model(const Problem& p) {
  const Count edges = p.ranks - 1;
  return {p.elements > 0 ? edges : 0, edges * p.elements, edges};
}

// The cost of one rank: messages and elements that it sends, and its rounds.
Cost rank_cost_model(const Problem& p, Rank me) {
  const Count sends = me < p.ranks - 1 ? 1 : 0, receives = me > 0 ? 1 : 0;
  return {p.elements > 0 ? sends : 0, sends * p.elements, sends + receives};
}

}  // namespace

Algorithm mine() {
  return {
      .name = "mine",
      .label = "Mine",
      .color = "#333333",
      .family = "whole",
      .summary = "the vector travels along the line of ranks",
      .source = "the lab sheet",
      .formula = {"m-1", "N(m-1)", "m-1"},
      .collectives = {Collective::allreduce},
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
  };
}

}  // namespace arlab::catalog
