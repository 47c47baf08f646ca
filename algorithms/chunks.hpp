// Chunks: which blocks of the vector a message carries. Blocks: how many elements they have.
#pragma once

#include <algorithm>

#include "algorithms/base/types.hpp"

namespace arlab {

/// `count` chunks from `first` on, every `stride`-th, around the end of the vector: chunk
/// (first + i stride) modulo the number of chunks, for i < count. No chunk occurs twice.
struct Chunks {
  Rank first = 0;
  Rank count = 0;
  Rank stride = 1;
  bool operator==(const Chunks&) const = default;
};

/// Consecutive chunks [first, first + count), not around the end.
struct ChunkRun {
  Rank first = 0;
  Rank count = 0;
  bool operator==(const ChunkRun&) const = default;
};

/// Cuts `whole` elements into balanced blocks. begin(parts) is `whole`.
struct Blocks {
  Blocks(Count whole, Count of_parts)
      : parts(of_parts), quotient(whole / of_parts), remainder(whole % of_parts) {}
  Count begin(Count part) const { return part * quotient + std::min(part, remainder); }
  Count size(Count part) const { return quotient + (part < remainder ? 1 : 0); }
  Count size(const ChunkRun& run) const {
    return begin(Count{run.first} + run.count) - begin(run.first);
  }
  Count size(const Chunks& c) const {
    if (c.stride == 1 && Count{c.first} + c.count <= parts)
      return begin(Count{c.first} + c.count) - begin(c.first);
    return size_of_scattered(c);
  }

  Count parts, quotient, remainder;

 private:
  Count size_of_scattered(const Chunks& c) const;
};

/// Calls f(ChunkRun) for each contiguous run of the chunks, in their order. `parts`: their number
/// in the vector. Adjacent strided chunks are one run each.
template <class F>
void for_each_run(const Chunks& c, Rank parts, F f) {
  if (c.stride == 1) {
    const Rank before_end = std::min<Rank>(c.count, parts - c.first);
    if (before_end > 0) f(ChunkRun{c.first, before_end});
    if (before_end < c.count) f(ChunkRun{0, c.count - before_end});
    return;
  }
  Count chunk = c.first;
  for (Rank i = 0; i < c.count; ++i, chunk += c.stride) {
    if (chunk >= parts) chunk -= parts;
    f(ChunkRun{static_cast<Rank>(chunk), 1});
  }
}

/// Calls f(chunk) for each chunk, in their order.
template <class F>
void for_each_chunk(const Chunks& c, Rank parts, F f) {
  for_each_run(c, parts, [&](const ChunkRun& run) {
    for (Rank i = 0; i < run.count; ++i) f(run.first + i);
  });
}

/// Returns the number of contiguous runs.
Rank runs_of(const Chunks& chunks, Rank parts);

/// Returns whether the two share a chunk, of `parts` in the vector.
bool overlap(const Chunks& a, const Chunks& b, Rank parts);

}  // namespace arlab
