// Round robin: the array is cut in m parts; the owner of each part reduces it and sends it to all.
//
// In step s each rank i sends part i+s directly to its owner i+s, so the messages of a step form
// a permutation. Then each owner sends its finished part to the others in the same rotation. It
// sends as few bytes as the ring, but every rank exchanges messages with every other. Zhao &
// Canny, Kylix: A Sparse Allreduce for Commodity Clusters, arXiv:1312.3020 (compares round-robin,
// tree, butterfly).
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  if (p.reduces())
    for (Rank s = 1; s < p.ranks; ++s) {
      const Rank owner = p.wrap(Count{me} + s), contributor = p.wrap(Count{me} - s);
      co_yield together(send(owner, p.chunk(owner)), reduce(contributor, p.chunk(me)));
    }
  if (p.shares())
    for (Rank s = 1; s < p.ranks; ++s) {
      const Rank reader = p.wrap(Count{me} + s), owner = p.wrap(Count{me} - s);
      co_yield together(send(reader, p.chunk(me)), replace(owner, p.chunk(owner)));
    }
}

Cost cost_model(const Problem& p) {
  const Count steps = p.halves() * Count{p.ranks - 1};
  return {steps * p.filled_chunks(), steps * p.elements, steps};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Count others = p.ranks - 1, own = p.blocks().size(me), own_filled = own > 0 ? 1 : 0;
  Cost cost{0, 0, p.halves() * others};
  if (p.reduces()) {  // every part but its own, once
    cost.messages += p.filled_chunks() - own_filled;
    cost.elements += p.elements - own;
  }
  if (p.shares()) {  // its own part, to all others
    cost.messages += others * own_filled;
    cost.elements += others * own;
  }
  return cost;
}

}  // namespace

Algorithm round_robin() {
  return {
      .name = "round_robin",
      .label = "Round robin",
      .color = "#859480",
      .family = "split",
      .summary = "each part goes directly to its owner, in rotation, and comes back the same way",
      .source = "Zhao & Canny, arXiv:1312.3020",
      .formula = {"2m(m-1)", "2N(m-1)", "2(m-1)"},
      .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather},
      .carries = Carries::one_chunk,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .symmetry = shift_symmetry,
  };
}

}  // namespace arlab::catalog
