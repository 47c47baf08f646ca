// For cost models with fewer elements than ranks, where a message without elements is not sent.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab {

/// Returns the number of ranks r for which one of the chunks r + offset, r + offset + stride, ...
/// (`count` of them, around the end) has elements. The offset does not matter.
inline Count messages_with_elements(const Problem& p, Count count, Count stride) {
  // Chunks 0 to filled - 1 have elements. Each member of the set is filled for as many ranks in a
  // row; between neighboring members there are `stride` ranks, after the last one the rest.
  const Count filled = p.filled_chunks();
  return (count - 1) * std::min(filled, stride) +
         std::min(filled, p.ranks - (count - 1) * stride);
}

/// Adds the message that carries these chunks to a cost; nothing if they have no elements.
inline void add_message(const Blocks& blocks, const Chunks& chunks, Cost& cost) {
  const Count elements = blocks.size(chunks);
  cost.messages += elements > 0 ? 1 : 0;
  cost.elements += elements;
}

}  // namespace arlab
