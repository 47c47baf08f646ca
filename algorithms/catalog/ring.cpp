// Ring: every rank exchanges messages with its two neighbors only.
//
// The vector is cut into one chunk per rank. For m-1 rounds each rank passes a partial sum to the
// right (share-reduce); then every rank owns one finished chunk. For m-1 more rounds the finished
// chunks travel once around the ring (share-only). Fewest bytes, most rounds. Patarasuk & Yuan,
// Bandwidth optimal all-reduce algorithms, JPDC 69(2), 2009.
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  const Rank right = p.wrap(Count{me} + 1), left = p.wrap(Count{me} - 1);
  if (p.reduces())
    for (Count s = 1; s < p.ranks; ++s)
      co_yield together(send(right, p.chunk(me - s)), reduce(left, p.chunk(me - s - 1)));
  if (p.shares())
    for (Count s = 0; s < p.ranks - 1; ++s)
      co_yield together(send(right, p.chunk(me - s)), replace(left, p.chunk(me - s - 1)));
}

Cost cost_model(const Problem& p) {
  const Count steps = p.halves() * Count{p.ranks - 1};
  return {steps * p.filled_chunks(), steps * p.elements, steps};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  Cost cost{0, 0, p.halves() * Count{p.ranks - 1}};
  const auto all_chunks_but = [&](Rank kept) {
    const Count size = p.blocks().size(kept);
    cost.messages += p.filled_chunks() - (size > 0 ? 1 : 0);
    cost.elements += p.elements - size;
  };
  if (p.reduces()) all_chunks_but(me);                    // which it finishes itself
  if (p.shares()) all_chunks_but(p.wrap(Count{me} + 1));  // which its right neighbor finished
  return cost;
}

}  // namespace

Algorithm ring() {
  return {
      .name = "ring",
      .label = "Ring",
      .color = "#0072B2",
      .family = "split",
      .summary = "partial sums go once around the ring, then the finished chunks do",
      .source = "Patarasuk & Yuan, JPDC 69(2), 2009",
      .formula = {"2m(m-1)", "2N(m-1)", "2(m-1)"},
      .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather},
      .chained = Chained::any_chunk,
      .carries = Carries::one_chunk,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .symmetry = shift_symmetry,
      .link_claims = {{"ring", LinkClaim::Of::hottest, "2(m-1)/m",
                       [](const Problem& p) { return p.ranks < 3 ? 0 : 2 - 2.0 / p.ranks; }}},
  };
}

}  // namespace arlab::catalog
