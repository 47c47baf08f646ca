// Sparse codes: some elements by their position: all positions first (32 bits each), then all
// values.
//
// And how those elements are chosen: the k largest magnitudes, or all from a magnitude on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Storage for one code, and its making and reading.
class SparseCode {
 public:
  /// `halves`: values as IEEE halves, 6 bytes an element instead of 8.
  explicit SparseCode(bool halves = false) : halves_(halves) {}

  Count bytes_each() const { return halves_ ? 6 : 8; }
  /// The code of x at these positions; valid until the next call.
  std::span<std::byte> write(std::span<const float> x, std::span<const std::uint32_t> at);
  /// into[position] += weight value.
  void add(std::span<const std::byte> code, std::span<float> into, float weight) const;

 private:
  bool halves_;
  std::vector<std::byte> code_;
};

/// Chooses elements by magnitude. NaN is larger than infinity, which is larger than all else. What
/// it returns is in order, and valid until the next call.
class Selector {
 public:
  /// The k largest (all, if there are fewer); of equal ones the first. A histogram of exponents and
  /// upper bits of fractions leaves few candidates to sort.
  std::span<const std::uint32_t> largest(std::span<const float> x, Count k);
  /// All whose magnitude's bits are at least `least`.
  std::span<const std::uint32_t> from(std::span<const float> x, std::uint32_t min);

 private:
  void select(std::span<const float> x, std::uint32_t min, Count expected);

  std::vector<std::uint32_t> at_, keys_, bins_;
  Count found_ = 0;
};

}  // namespace arlab::training
