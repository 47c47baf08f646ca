// Halving: the worked solution of the lab sheet. Few rounds like a butterfly, few bytes like a
// ring.
//
// Partners at distance m/2, m/4, ..., 1 exchange halves of the blocks that they are responsible
// for, and each adds the half it keeps. After log2 m rounds every rank owns one finished chunk.
// Then the same rounds in reverse order distribute the finished chunks, twice as many each time.
// The number of ranks must be a power of two. Rabenseifner, Optimization of Collective Reduction
// Operations, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
#include <bit>

#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

// Returns the block of `width` chunks that contains the rank's own chunk.
Chunks block_of(Rank rank, Rank width) { return {rank / width * width, width}; }

Program program(Problem p, Rank me) {
  for (Rank half = p.ranks / 2; half >= 1; half /= 2) {
    const Rank partner = me ^ half;
    co_yield together(send(partner, block_of(partner, half)), reduce(partner, block_of(me, half)));
  }
  for (Rank have = 1; have < p.ranks; have *= 2) {
    const Rank partner = me ^ have;
    co_yield together(send(partner, block_of(me, have)), replace(partner, block_of(partner, have)));
  }
}

// Empty blocks are not sent; they are at the end of the vector.
Cost rank_cost_model(const Problem& p, Rank me) {
  const Blocks blocks = p.blocks();
  Cost cost{0, 0, Count{2} * floor_log2(p.ranks)};
  for (Rank width = 1; width < p.ranks; width *= 2)
    for (const Rank owner : {Rank(me ^ width), me}) {  // first the partner's block, then the own
      const Count elements = blocks.size(block_of(owner, width));
      cost.messages += elements > 0 ? 1 : 0;
      cost.elements += elements;
    }
  return cost;
}

Cost cost_model(const Problem& p) {
  Cost all{0, 0, Count{2} * floor_log2(p.ranks)};
  for (Rank r = 0; r < p.ranks; ++r) {
    const Cost one = rank_cost_model(p, r);
    all.messages += one.messages;
    all.elements += one.elements;
  }
  return all;
}

std::string unsupported_reason(const Problem& p) {
  if (std::has_single_bit(static_cast<std::uint32_t>(p.ranks))) return "";
  return "halving needs a power of two, not " + std::to_string(p.ranks) + " ranks";
}

}  // namespace

Algorithm halving() {
  return {
      .name = "halving",
      .label = "Halving",
      .color = "#F0E442",
      .family = "split",
      .summary =
          "partners exchange halves of halves, then hand the finished chunks out the same way",
      .source = "Rabenseifner, ICCS 2004",
      .formula = {"2m log2 m", "2N(m-1)", "2 log2 m"},
      .collectives = {Collective::allreduce},
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::catalog
