// LevelChunks: the chunks of a level: their sizes, and how many have elements. Those are the first
// ones.
#pragma once

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace arlab {

// The elements that a level moves if its chunk j has `size(j)` of them. `moved(n)`: closed form for
// n elements, of which each of the first n chunks has one. Chunks of equal size are taken together.
template <class Size, class Moved>
Count elements_moved(Count chunks, Size size, Moved moved) {
  Count sum = 0, before = 0;
  for (Count j = 0; j < chunks;) {
    Count end = j + 1;
    while (end < chunks && size(end) == size(j)) ++end;
    const Count there = moved(end);
    sum += size(j) * (there - before);
    before = there;
    j = end;
  }
  return sum;
}

class LevelChunks {
 public:
  LevelChunks(const Problem& p, Rank count, bool dealt)
      : blocks_(p.blocks()), parts_(p.ranks), count_(count), dealt_(dealt) {
    const Count filled = p.filled_chunks();
    filled_ = dealt ? std::min<Count>(filled, count) : (filled * count + p.ranks - 1) / p.ranks;
  }
  Count filled() const { return filled_; }
  Count size(Count j) const {
    if (dealt_) return blocks_.size(Chunks{static_cast<Rank>(j), parts_ / count_, count_});
    return blocks_.begin(Count{parts_} * (j + 1) / count_) -
           blocks_.begin(Count{parts_} * j / count_);
  }
  /// The closed form `cost(n)` of n elements on balanced chunks, on these chunks.
  template <class CostOf>
  Cost cost(CostOf cost) const {
    return {
        cost(filled_).messages,
        elements_moved(
            count_, [&](Count j) { return size(j); }, [&](Count n) { return cost(n).elements; }),
        cost(filled_).rounds};
  }

 private:
  Blocks blocks_;
  Rank parts_;
  Rank count_;
  bool dealt_;
  Count filled_;
};

}  // namespace arlab
