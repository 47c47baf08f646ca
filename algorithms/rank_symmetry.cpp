#include "algorithms/rank_symmetry.hpp"

namespace arlab {

std::optional<RankSymmetry> shift_symmetry(const Problem& p) { return RankSymmetry({p.ranks}); }

std::optional<RankSymmetry> exclusive_or_symmetry(const Problem& p) { return digit_symmetry(p, 2); }

std::optional<RankSymmetry> digit_symmetry(const Problem& p, Rank radix) {
  std::vector<Rank> radices;
  Count ranks = 1;
  for (; ranks < p.ranks; ranks *= radix) radices.push_back(radix);
  if (ranks != p.ranks) return {};
  if (radices.empty()) radices.push_back(1);
  return RankSymmetry(std::move(radices));
}

}  // namespace arlab
