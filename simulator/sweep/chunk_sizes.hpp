// ChunkSizes: numbers the sizes of messages by the chunks that they carry.
//
// Most messages carry as much as the one before, whose number is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/problem.hpp"
#include "simulator/sweep/size_table.hpp"

namespace arlab::simulator {

class ChunkSizes {
 public:
  ChunkSizes(const Problem& problem, Bytes element_size)
      : blocks_(problem.blocks()), element_size_(element_size) {}

  /// Returns the number of the size of a message that carries these chunks.
  std::uint32_t number_of(const Chunks& chunks) {
    const bool is_same = blocks_.remainder == 0 ? chunks.count == latest_.count : chunks == latest_;
    return is_same ? number_of_latest_ : number_of_other(chunks);
  }

  /// Returns the sizes in bytes, by number.
  const std::vector<Bytes>& bytes() const { return table_.sizes(); }
  /// Returns whether there are more sizes than SizeTable can number.
  bool is_full() const { return is_full_; }
  /// Returns whether a message was empty.
  bool has_empty() const { return has_empty_; }

 private:
  std::uint32_t number_of_other(const Chunks& chunks) {
    latest_ = chunks;
    const Bytes bytes = blocks_.size(chunks) * element_size_;
    has_empty_ |= bytes == 0;
    number_of_latest_ = table_.number_of(bytes);
    is_full_ = table_.is_full();
    return number_of_latest_;
  }

  Blocks blocks_;
  Bytes element_size_;
  SizeTable table_;
  Chunks latest_{-1, -1, -1};
  std::uint32_t number_of_latest_ = 0;
  bool has_empty_ = false, is_full_ = false;
};

}  // namespace arlab::simulator
