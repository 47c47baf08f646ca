// Sparse vectors: some elements of a long vector by position, and their sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// One element that is there. In memory and in messages eight bytes.
struct Entry {
  std::uint32_t at = 0;
  float value = 0;
  bool operator==(const Entry&) const = default;
};
static_assert(sizeof(Entry) == 8);

/// Entries by rising position, each position once.
using SparseVector = std::vector<Entry>;

/// The elements of a sparse code of floats (compressors/sparse_code.hpp).
SparseVector entries_of(std::span<const std::byte> code);

/// Their sum; where both have a position, a + b.
void merge(std::span<const Entry> a, std::span<const Entry> b, SparseVector& sum);

/// dense[at] += value. Throws Error(check) for a position beyond the vector.
void add_to(std::span<float> dense, std::span<const Entry> entries);

}  // namespace arlab::training
