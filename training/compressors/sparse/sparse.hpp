// Sparse vectors: some elements of a long vector with their positions, and their sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// One element; eight bytes in memory and in messages.
struct Entry {
  std::uint32_t at = 0;
  float value = 0;
  bool operator==(const Entry&) const = default;
};
static_assert(sizeof(Entry) == 8);

/// Entries in order of position; each position occurs once.
using SparseVector = std::vector<Entry>;

/// Returns the entries of a sparse code of floats (sparse_code.hpp).
SparseVector entries_of(std::span<const std::byte> code);

/// Replaces `into` by the sum of a and b.
void merge(std::span<const Entry> a, std::span<const Entry> b, SparseVector& sum);

/// Does dense[at] += value for each entry. Throws Error(check) for a position beyond the vector.
void add_to(std::span<float> dense, std::span<const Entry> entries);

}  // namespace arlab::training
