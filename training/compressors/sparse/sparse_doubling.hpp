// Sparse allreduce by recursive doubling: partial sums are merged with the partner at distance 1,
// 2, 4, ..., and become dense vectors once those are smaller.
//
// Renggli et al., SparCML: high-performance sparse communication for machine learning, SC 2019
// (SSAR_Recursive_double, and DSAR where it switches). Any number of ranks: the extras beyond a
// power of two give theirs to a partner first and get the sum last.
#pragma once

#include <vector>

#include "collectives/communicator.hpp"
#include "training/compressors/sparse/sparse.hpp"

namespace arlab::training {

/// A sum that may have become dense on its way.
struct SparseSum {
  bool is_dense = false;
  SparseVector entries;       ///< unless dense
  std::vector<float> vector;  ///< if dense

  Count bytes() const {
    return static_cast<Count>(is_dense ? vector.size() * sizeof(float)
                                       : entries.size() * sizeof(Entry));
  }
};

/// The sum of all ranks' `mine`, parts of vectors of n elements; the same bits on every rank. Each
/// message of entries or of a vector follows one of 8 bytes that tells which, and how long.
SparseSum sum_by_doubling(collectives::Communicator& communicator, SparseVector mine, Count n);

}  // namespace arlab::training
