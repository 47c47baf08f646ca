// Sparse codes: some elements with their positions. All positions (32 bits each) come first, then
// all values.
//
// Also selects the elements: the k largest magnitudes, or all magnitudes from a threshold on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Storage for one code; writes and reads it.
class SparseCode {
 public:
  /// `halves`: values as float16, 6 bytes per element instead of 8.
  explicit SparseCode(bool halves = false) : halves_(halves) {}

  Count bytes_each() const { return halves_ ? 6 : 8; }
  /// Returns the code of x at these positions, valid until the next call.
  std::span<std::byte> write(std::span<const float> x, std::span<const std::uint32_t> at);
  /// Does into[position] += weight value for each element of the code.
  void add(std::span<const std::byte> code, std::span<float> into, float weight) const;

 private:
  bool halves_;
  std::vector<std::byte> code_;
};

/// Selects elements by magnitude. NaN is larger than infinity, which is larger than all else. The
/// returned positions are in order and valid until the next call.
class Selector {
 public:
  /// Returns the k largest, or all if there are fewer; ties go to the first. A histogram of the
  /// exponents and upper fraction bits leaves few candidates to sort.
  std::span<const std::uint32_t> largest(std::span<const float> x, Count k);
  /// Returns all whose magnitude has bits of at least `min`, or the `most` largest of these.
  std::span<const std::uint32_t> from(std::span<const float> x, std::uint32_t min,
                                      Count most = kAll);

 private:
  static constexpr Count kAll = std::numeric_limits<Count>::max();

  void select(std::span<const float> x, std::uint32_t min, Count expected);
  std::span<const std::uint32_t> keep_largest(std::span<const float> x, Count k,
                                              std::uint32_t next);

  std::vector<std::uint32_t> at_, keys_, bins_;
  Count found_ = 0;
};

}  // namespace arlab::training
