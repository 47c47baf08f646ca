// RankSet: a set of ranks that is visited in order, as a tree of bit masks.
//
// Members, and the gaps between them, cost a few instructions each, whether one rank is in the set
// or a million.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::simulator {

class RankSet {
 public:
  static constexpr Rank kNone = -1;

  /// Makes an empty set of ranks below `ranks`.
  explicit RankSet(Rank ranks) {
    std::size_t words = index(ranks);
    do levels_.emplace_back(words = (words + 63) / 64);
    while (words > 1);
  }

  void insert(Rank rank) {
    std::size_t position = index(rank);
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[position / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << position % 64;
      if (known) return;
      position /= 64;
    }
  }

  void erase(Rank rank) {
    std::size_t position = index(rank);
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[position / 64];
      word &= ~(std::uint64_t{1} << position % 64);
      if (word != 0) return;
      position /= 64;
    }
  }

  /// Returns the first member that is at least `from`, or kNone.
  Rank next(Rank from) const {
    std::size_t position = index(from);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      if (position / 64 >= levels_[l].size()) return kNone;
      const std::uint64_t rest = levels_[l][position / 64] >> position % 64;
      if (rest != 0) return lowest(l, position + static_cast<std::size_t>(std::countr_zero(rest)));
      position = position / 64 + 1;
    }
    return kNone;
  }

 private:
  // Returns the first member below the given position of a level.
  Rank lowest(std::size_t level, std::size_t position) const {
    while (level > 0) {
      --level;
      position =
          position * 64 + static_cast<std::size_t>(std::countr_zero(levels_[level][position]));
    }
    return static_cast<Rank>(position);
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // a bit per word of the level before
};

}  // namespace arlab::simulator
