#include "algorithms/rank_grid.hpp"

#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {

RankGrid::RankGrid(std::vector<Rank> sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
  Count product = 1;
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    if (sizes_[d] < 1)
      fail(Blame::usage, concat("the grid ", text(), " has a size of ", sizes_[d],
                                ": each size is at least 1"));
    strides_[d] = static_cast<Rank>(product);
    product *= sizes_[d];
    if (product > std::numeric_limits<Rank>::max())
      fail(Blame::usage, concat("the grid ", text(), " has more ranks than ",
                                std::numeric_limits<Rank>::max(), ": give smaller sizes"));
  }
  ranks_ = static_cast<Rank>(product);
}

Rank RankGrid::moved(Rank rank, int dimension, Count steps) const {
  const Count size = this->size(dimension), here = coordinate(rank, dimension);
  const Count there = ((here + steps) % size + size) % size;
  return rank + static_cast<Rank>((there - here) * stride(dimension));
}

std::string RankGrid::text() const {
  std::string text;
  for (const Rank size : sizes_) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

}  // namespace arlab
