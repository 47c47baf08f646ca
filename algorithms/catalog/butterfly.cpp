// Butterfly (recursive doubling): step k exchanges whole vectors with the partner at distance 2^k.
//
// After step k every rank holds the sum of its group of 2^(k+1). If the number of ranks is not a
// power of two, each extra rank first sends its array to a partner, which adds it, and receives the
// result at the end. Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  const Rank core = Rank{1} << floor_log2(p.ranks);
  const bool has_extra = me < p.ranks - core;
  if (me >= core) {
    co_yield send(me - core, p.all());
    co_yield replace(me - core, p.all());
    co_return;
  }
  if (has_extra) co_yield reduce(me + core, p.all());
  for (Rank d = 1; d < core; d *= 2) co_yield exchange(me ^ d, p.all());
  if (has_extra) co_yield send(me + core, p.all());
}

Cost cost_model(const Problem& p) {
  const int steps = floor_log2(p.ranks);
  const Count core = Count{1} << steps, extras = p.ranks - core;
  const Count messages = core * steps + 2 * extras;
  return {p.elements > 0 ? messages : 0, messages * p.elements, steps + (extras > 0 ? 2 : 0)};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const int steps = floor_log2(p.ranks);
  const Count core = Count{1} << steps, extras = p.ranks - core;
  const bool is_extra = me >= core, has_extra = me < extras;
  const Count sent = is_extra ? 1 : steps + (has_extra ? 1 : 0);
  return {p.elements > 0 ? sent : 0, sent * p.elements, is_extra ? 2 : steps + (has_extra ? 2 : 0)};
}

}  // namespace

Algorithm butterfly() {
  return {
      .name = "butterfly",
      .label = "Butterfly",
      .color = "#B2500D",
      .family = "whole",
      .summary = "exchange whole vectors with the partner at distance 1, 2, 4, ...",
      .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005 (recursive doubling)",
      .formula = {"m log2 m (+ fold-in of extras)", "N m log2 m (+ fold-in of extras)",
                  "log2 m (floor + 2 if m is not a power of two)"},
      .collectives = {Collective::allreduce},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .symmetry = exclusive_or_symmetry,
      .link_claims = {{"ring", LinkClaim::Of::each_round, "m-1",
                       [](const Problem& p) {
                         const bool power = Count{1} << floor_log2(p.ranks) == p.ranks;
                         return power && p.ranks >= 4 ? p.ranks - 1.0 : 0;
                       }}},
  };
}

}  // namespace arlab::catalog
