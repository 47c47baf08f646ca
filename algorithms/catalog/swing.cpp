// Swing: halving and doubling with partners that alternate sides, near each other on a ring.
//
// In step s an even rank's partner is rho(s) = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11, ... to its
// right, an odd rank's as far to its left. Distances grow more slowly than powers of two, so
// messages cross fewer links of a ring or torus. De Sensi, Bonato, Saam, Hoefler, Swing:
// Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024, arXiv:2401.09356.
#include "algorithms/parts/halving.hpp"
#include "algorithms/parts/negabinary.hpp"

namespace arlab::catalog {
namespace {

// Bit-reversing the Gray code of the negabinary rank number keeps the halves contiguous.
Rank part(const Fold& fold, Rank me) {
  const auto negabinary = to_negabinary(me % 2 == 1 ? me : -me, fold.steps);
  const auto gray = negabinary ^ negabinary >> 1;
  Rank reversed = 0;
  for (int s = 0; s < fold.steps; ++s) reversed = reversed << 1 | static_cast<Rank>(gray >> s & 1);
  return reversed;
}

}  // namespace

Algorithm swing() {
  static constexpr Halving kHalving{swing_partner, part};
  return {
      .name = "swing",
      .label = "Swing",
      .color = "#246D42",
      .family = "split",
      .summary =
          "halve and double with partners at distance 1, 1, 3, 5, 11, ... on alternate sides",
      .source = "De Sensi et al., NSDI 2024, arXiv:2401.09356",
      .formula = {"2 m log2 m (+ fold-in of extras)", "2N(m-1)",
                  "2 log2 m (floor + 1 if m is not a power of two)"},
      .collectives = {Collective::allreduce},
      .chained = Chained::any_chunk,
      .carries = Carries::range,
      .program = [](Problem p, Rank me) { return halving_program(p, me, kHalving); },
      .cost_model = halving_cost,
      .rank_cost_model = [](const Problem& p,
                            Rank me) { return halving_rank_cost(p, me, kHalving); },
      .chain_elements = halving_chain_elements,
      .symmetry = swing_symmetry,
      .link_claims = {{"ring", LinkClaim::Of::each_round, "sum of (|rho(s)|+1) / 2^(s+1)",
                       [](const Problem& p) { return swing_link_load(p, true); }}},
  };
}

}  // namespace arlab::catalog
