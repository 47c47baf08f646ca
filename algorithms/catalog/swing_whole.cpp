// Swing on whole vectors: a butterfly whose partners are near each other on a ring.
//
// Step s exchanges whole vectors with Swing's partner at distance 1, 1, 3, 5, 11, ... on alternate
// sides. De Sensi et al., NSDI 2024, arXiv:2401.09356 (latency-optimal form).
#include "algorithms/parts/negabinary.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  const Fold fold(p.ranks);
  if (fold.is_extra(me)) {
    co_yield send(fold.host(me), p.all());
    co_yield replace(fold.host(me), p.all());
    co_return;
  }
  const bool has_guest = fold.guests(me) > 0;
  if (has_guest) co_yield reduce(fold.guest(me, 0), p.all());
  for (int s = 0; s < fold.steps; ++s) co_yield exchange(swing_partner(fold, me, s), p.all());
  if (has_guest) co_yield send(fold.guest(me, 0), p.all());
}

Cost cost_model(const Problem& p) {
  const Fold fold(p.ranks);
  const Count messages = Count{fold.core} * fold.steps;
  return fold.around(p, {p.elements > 0 ? messages : 0, messages * p.elements, fold.steps});
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Fold fold(p.ranks);
  const Count steps = fold.steps;
  return fold.around(p, me, {p.elements > 0 ? steps : 0, steps * p.elements, steps});
}

}  // namespace

Algorithm swing_whole() {
  return {
      .name = "swing_whole",
      .label = "Swing, whole",
      .color = "#218C7B",
      .family = "whole",
      .summary = "exchange whole vectors at distance 1, 1, 3, 5, 11, ... on alternate sides",
      .source = "De Sensi et al., NSDI 2024, arXiv:2401.09356 (latency-optimal)",
      .formula = {"m log2 m (+ fold-in of extras)", "N m log2 m (+ fold-in of extras)",
                  "log2 m (floor + 2 if m is not a power of two)"},
      .collectives = {Collective::allreduce},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .symmetry = swing_symmetry,
      .link_claims = {{"ring", LinkClaim::Of::each_round, "sum of (|rho(s)|+1) / 2",
                       [](const Problem& p) { return swing_link_load(p, false); }}},
  };
}

}  // namespace arlab::catalog
