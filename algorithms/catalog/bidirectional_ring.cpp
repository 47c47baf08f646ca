// Bidirectional ring: two rings, each with half of the vector, in opposite directions.
//
// On links that carry data both ways at once it halves the time of a ring for long vectors.
// Patarasuk & Yuan, JPDC 69(2), 2009 (ring); Jain & Sabharwal, ICS 2010 (both directions).
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

// Lane 0 sends to the right, lane 1 to the left.
Count direction(const Problem& p) { return p.lane == 0 ? 1 : -1; }

Program program(Problem p, Rank me) {
  const Count step = direction(p);
  const Rank next = p.wrap(me + step), previous = p.wrap(me - step);
  for (Count s = 1; s < p.ranks; ++s)
    co_yield together(send(next, p.chunk(me - s * step)),
                      reduce(previous, p.chunk(me - (s + 1) * step)));
  for (Count s = 0; s < p.ranks - 1; ++s)
    co_yield together(send(next, p.chunk(me - s * step)),
                      replace(previous, p.chunk(me - (s + 1) * step)));
}

Cost cost_model(const Problem& p) {
  const Count steps = 2 * Count{p.ranks - 1};
  return {steps * p.filled_chunks(), steps * p.elements, steps};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  Cost cost{0, 0, 2 * Count{p.ranks - 1}};
  for (const Rank kept : {me, p.wrap(me + direction(p))}) {  // by its reducing and its sharing half
    const Count size = p.blocks().size(kept);
    cost.messages += p.filled_chunks() - (size > 0 ? 1 : 0);
    cost.elements += p.elements - size;
  }
  return cost;
}

}  // namespace

Algorithm bidirectional_ring() {
  return {
      .name = "bidirectional_ring",
      .label = "Two-way ring",
      .color = "#1799D8",
      .family = "split",
      .summary = "two rings in opposite directions, each with half of the vector",
      .source = "Patarasuk & Yuan, JPDC 69(2), 2009; Jain & Sabharwal, ICS 2010",
      .formula = {"4m(m-1)", "2N(m-1)", "2(m-1)"},
      .collectives = {Collective::allreduce},
      .lanes = 2,
      .carries = Carries::one_chunk,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .link_claims = {{"ring", LinkClaim::Of::hottest, "(m-1)/m",
                       [](const Problem& p) { return p.ranks < 3 ? 0 : 1 - 1.0 / p.ranks; }}},
  };
}

}  // namespace arlab::catalog
