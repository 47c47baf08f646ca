// Pieces of a pipelined lane: consecutive chunks, all equally long if chunks are.
#pragma once

#include <algorithm>
#include <numeric>

#include "algorithms/problem.hpp"

namespace arlab {

/// Returns the chunks per rank with which this many pieces have as many chunks each. A round takes
/// as long as its longest message.
inline Rank chunks_per_rank_for(Count pieces, Rank ranks) {
  return static_cast<Rank>(pieces / std::gcd(pieces, Count{ranks}));
}

/// Returns one of `count` pieces, of at most as many as there are chunks.
inline Chunks piece_of(const Problem& p, Count count, Count number) {
  const Count first = p.parts() * number / count, end = p.parts() * (number + 1) / count;
  return p.chunks(first, static_cast<Rank>(end - first));
}

/// Returns the number of pieces that have elements.
inline Count filled_pieces(const Problem& p, Count count) {
  return (p.filled_chunks() * count + p.parts() - 1) / p.parts();
}

}  // namespace arlab
