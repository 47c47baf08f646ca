// PAT (parallel aggregated trees): like circulant, but the farthest steps carry the fewest chunks.
//
// One binomial tree per chunk, all in parallel. Step k of the reduce-scatter sends to the rank 2^k
// away every second open chunk, in strides of 2^(k+1). The steps run backwards to gather. NCCL 2.23
// uses it for reduce-scatter and all-gather with one GPU per node. Jeaugey, PAT: a new algorithm
// for all-gather and reduce-scatter operations at scale, 2025, arXiv:2506.20252.
#include "algorithms/algorithm.hpp"
#include "algorithms/chunk_hits.hpp"

namespace arlab::catalog {
namespace {

// The offsets that a message of a step carries are 0, 2^(k+1), 2 x 2^(k+1), ...: those whose
// distance plus 2^k is below m.
Rank chunks_in(const Problem& p, int step) {
  return static_cast<Rank>(((p.ranks - 1 - (Count{1} << step)) >> (step + 1)) + 1);
}

// Strides only matter between chunks, and 2^(k+1) of the last step may exceed m. (Always inline:
// calls cost sweeps 8%.)
[[gnu::always_inline]] inline Chunks chunks_at(const Problem& p, Count first, int step) {
  return p.chunks(first, chunks_in(p, step), static_cast<Rank>(Count{2} << step));
}

Program program(Problem p, Rank me) {
  const int steps = ceil_log2(p.ranks);
  if (p.reduces())
    for (int k = 0; k < steps; ++k) {
      const Count d = Count{1} << k;
      co_yield together(send(p.wrap(me + d), chunks_at(p, me + d, k)),
                        reduce(p.wrap(me - d), chunks_at(p, me, k)));
    }
  if (p.shares())
    for (int k = steps - 1; k >= 0; --k) {
      const Count d = Count{1} << k;
      co_yield together(send(p.wrap(me - d), chunks_at(p, me, k)),
                        replace(p.wrap(me + d), chunks_at(p, me + d, k)));
    }
}

Cost cost_model(const Problem& p) {
  const int steps = ceil_log2(p.ranks);
  Cost cost{0, p.halves() * Count{p.ranks - 1} * p.elements, p.halves() * Count{steps}};
  for (int k = 0; k < steps && p.elements > 0; ++k)
    cost.messages += p.halves() * messages_with_elements(p, chunks_in(p, k), Count{2} << k);
  return cost;
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const int steps = ceil_log2(p.ranks);
  Cost cost{0, 0, p.halves() * Count{steps}};
  const auto sends = [&](const Chunks& chunks) { add_message(p.blocks(), chunks, cost); };
  for (int k = 0; k < steps; ++k) {
    if (p.reduces()) sends(chunks_at(p, me + (Count{1} << k), k));
    if (p.shares()) sends(chunks_at(p, me, k));
  }
  return cost;
}

// Of a power of two of ranks, the messages for chunk 0 and the chunks that go with it.
Count chain_elements(const Problem& p) {
  const Blocks blocks = p.blocks();
  Count elements = 0;
  for (int k = 0; k < ceil_log2(p.ranks); ++k) elements += blocks.size(chunks_at(p, 0, k));
  return p.halves() * elements;
}

}  // namespace

Algorithm pat() {
  return {
      .name = "pat",
      .label = "PAT",
      .color = "#A43AA3",
      .family = "split",
      .summary = "a binomial tree per chunk, all at once; far messages carry the fewest chunks",
      .source = "Jeaugey, 2025, arXiv:2506.20252 (NCCL 2.23)",
      .formula = {"2 m ceil(log2 m)", "2N(m-1)", "2 ceil(log2 m)"},
      .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather},
      .chained = Chained::any_chunk,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .chain_elements = chain_elements,
      .symmetry = shift_symmetry,
  };
}

}  // namespace arlab::catalog
