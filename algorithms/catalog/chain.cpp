// Chain: the vector goes down a line of ranks to the root, adding up, and back.
//
// The longest path of all, but each rank exchanges messages with two neighbors only. Cut into
// segments, all links work at once: the textbook case of pipelining, and NCCL's choice within a
// node. van de Geijn & Watts, SUMMA, Concurrency 9(4), 1997 (pipelined broadcast).
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  const Rank number = p.wrap(Count{me} - p.root);
  const Rank inner = p.wrap(Count{me} - 1), outer = p.wrap(Count{me} + 1);
  const bool has_inner = number > 0, has_outer = number < p.ranks - 1;
  if (p.reduces()) {
    if (has_outer) co_yield reduce(outer, p.all());
    if (has_inner) co_yield send(inner, p.all());
  }
  if (p.shares()) {
    if (has_inner) co_yield replace(inner, p.all());
    if (has_outer) co_yield send(outer, p.all());
  }
}

Cost cost_model(const Problem& p) {
  const Count edges = p.halves() * Count{p.ranks - 1};
  return {p.elements > 0 ? edges : 0, edges * p.elements, edges};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Rank number = p.wrap(Count{me} - p.root);
  const Count inner = number > 0 ? 1 : 0, outer = number < p.ranks - 1 ? 1 : 0;
  const Count sent = (p.reduces() ? inner : 0) + (p.shares() ? outer : 0);
  return {p.elements > 0 ? sent : 0, sent * p.elements, p.halves() * (inner + outer)};
}

}  // namespace

Algorithm chain() {
  return {
      .name = "chain",
      .label = "Chain",
      .color = "#5E0F06",
      .family = "whole",
      .summary =
          "sums go down a line of ranks to the root, and the result comes back; use segments",
      .source = "van de Geijn & Watts, Concurrency 9(4), 1997 (pipelined)",
      .formula = {"2(m-1)", "2N(m-1)", "2(m-1)"},
      .collectives = {Collective::allreduce, Collective::reduce, Collective::broadcast},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .link_claims = {{"ring", LinkClaim::Of::hottest, "1",
                       [](const Problem& p) { return p.ranks < 3 ? 0. : 1.; }}},
  };
}

}  // namespace arlab::catalog
