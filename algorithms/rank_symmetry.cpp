#include "algorithms/rank_symmetry.hpp"

#include "algorithms/fold.hpp"

namespace arlab {

std::optional<RankSymmetry> shift_symmetry(const Problem& p) { return RankSymmetry({p.ranks}); }

std::optional<RankSymmetry> exclusive_or_symmetry(const Problem& p) { return digit_symmetry(p, 2); }

std::optional<RankSymmetry> digit_symmetry(const Problem& p, Rank radix) {
  return Fold(p.ranks, radix).extras() == 0 ? folded_digit_symmetry(p, radix) : std::nullopt;
}

std::optional<RankSymmetry> folded_digit_symmetry(const Problem& p, Rank radix) {
  const Fold fold(p.ranks, radix);
  if (p.ranks % fold.core != 0) return {};
  std::vector<Rank> radices(index(fold.steps), radix);
  if (radices.empty()) radices.push_back(1);
  return RankSymmetry(radices, 1, p.ranks / fold.core);
}

}  // namespace arlab
