// Trivance: exchange whole vectors with both ranks at distance 3^i at once, in log3 m steps.
//
// For a power of three of ranks. After step i a rank holds the sum of 3^(i+1) ranks around it. Two
// messages leave per round, one to each side: nodes with two ports, and rings, need fewer rounds
// than a butterfly. Trivance, 2026, arXiv:2602.17254.
#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::catalog {
namespace {

int steps_of(Rank ranks) {
  int steps = 0;
  for (Count reached = 1; reached < ranks; reached *= 3) ++steps;
  return steps;
}

Program program(Problem p, Rank me) {
  for (Count d = 1; d < p.ranks; d *= 3) {
    const Rank right = p.wrap(me + d), left = p.wrap(me - d);
    co_yield together(send(right, p.all()), send(left, p.all()), reduce(left, p.all()),
                      reduce(right, p.all()));
  }
}

Cost rank_cost_model(const Problem& p, Rank) {
  const Count steps = steps_of(p.ranks);
  return {p.elements > 0 ? 2 * steps : 0, 2 * steps * p.elements, steps};
}

Cost cost_model(const Problem& p) {
  const Cost each = rank_cost_model(p, 0);
  return {p.ranks * each.messages, p.ranks * each.elements, each.rounds};
}

std::string unsupported_reason(const Problem& p) {
  Count below = 1;
  while (below * 3 <= p.ranks) below *= 3;
  if (below == p.ranks) return "";
  return concat("trivance needs a power of three of ranks, not ", p.ranks, ": the nearest are ",
                below, " and ", below * 3);
}

}  // namespace

Algorithm trivance() {
  return {
      .name = "trivance",
      .label = "Trivance",
      .color = "#CA486A",
      .family = "whole",
      .summary = "exchange whole vectors with both ranks at distance 1, 3, 9, ... at once",
      .source = "arXiv:2602.17254, 2026",
      .formula = {"2 m log3 m", "2 N m log3 m", "log3 m (powers of three only)"},
      .collectives = {Collective::allreduce},
      .few_ranks = true,
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
      .symmetry = shift_symmetry,
  };
}

}  // namespace arlab::catalog
