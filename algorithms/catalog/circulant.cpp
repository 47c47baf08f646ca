// Circulant: as few rounds as halving and as few bytes as a ring, for every number of ranks.
//
// The distances are m/2, m/4, ..., 1, each rounded up. In the reduce-scatter a rank sends to the
// rank at the distance all partial sums that it and its followers need, and adds what arrives for
// itself. Rank r ends with chunk r, and the steps run backwards to gather. Messages are chunks
// around the end of the vector. Every chunk is added in the same order on every rank. Träff,
// Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024, arXiv:2410.14234.
#include "algorithms/chunk_hits.hpp"
#include "algorithms/parts/halving.hpp"

namespace arlab::catalog {
namespace {

// m / 2^step, rounded up.
Rank distance(const Problem& p, int step) {
  return static_cast<Rank>((Count{p.ranks} + (Count{1} << step) - 1) >> step);
}
Rank chunks_in(const Problem& p, int step) { return distance(p, step) - distance(p, step + 1); }

Program program(Problem p, Rank me) {
  const int steps = ceil_log2(p.ranks);
  if (p.reduces())
    for (int k = 0; k < steps; ++k) {
      const Count d = distance(p, k + 1);
      const Rank count = chunks_in(p, k);
      co_yield together(send(p.wrap(me + d), p.chunks(me + d, count)),
                        reduce(p.wrap(me - d), p.chunks(me, count)));
    }
  if (p.shares())
    for (int k = steps - 1; k >= 0; --k) {
      const Count d = distance(p, k + 1);
      const Rank count = chunks_in(p, k);
      co_yield together(send(p.wrap(me - d), p.chunks(me, count)),
                        replace(p.wrap(me + d), p.chunks(me + d, count)));
    }
}

Cost cost_model(const Problem& p) {
  const int steps = ceil_log2(p.ranks);
  Cost cost{0, p.halves() * Count{p.ranks - 1} * p.elements, p.halves() * Count{steps}};
  for (int k = 0; k < steps && p.elements > 0; ++k)
    cost.messages += p.halves() * messages_with_elements(p, chunks_in(p, k), 1);
  return cost;
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const int steps = ceil_log2(p.ranks);
  Cost cost{0, 0, p.halves() * Count{steps}};
  const auto sends = [&](const Chunks& chunks) { add_message(p.blocks(), chunks, cost); };
  for (int k = 0; k < steps; ++k) {
    if (p.reduces()) sends(p.chunks(Count{me} + distance(p, k + 1), chunks_in(p, k)));
    if (p.shares()) sends(p.chunks(me, chunks_in(p, k)));
  }
  return cost;
}

}  // namespace

Algorithm circulant() {
  return {
      .name = "circulant",
      .label = "Circulant",
      .color = "#181487",
      .family = "split",
      .summary = "send half of the open chunks to the rank half the open distance away, and back",
      .source = "Träff, 2024, arXiv:2410.14234",
      .formula = {"2 m ceil(log2 m)", "2N(m-1)", "2 ceil(log2 m)"},
      .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather},
      .chained = Chained::any_chunk,
      .carries = Carries::around,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .chain_elements = halving_chain_elements,
      .symmetry = shift_symmetry,
  };
}

}  // namespace arlab::catalog
