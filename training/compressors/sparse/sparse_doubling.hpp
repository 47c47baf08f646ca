// Sparse allreduce by recursive doubling: merges partial sums with the partners at distance 1, 2, 4
// and so on, and switches to dense vectors once those are smaller.
//
// Any number of ranks works: the extra ranks beyond a power of two first send their entries to a
// partner and get the sum at the end. Renggli et al., SparCML: high-performance sparse
// communication for machine learning, SC 2019 (SSAR_Recursive_double, and DSAR after the switch).
#pragma once

#include <vector>

#include "collectives/communicator.hpp"
#include "training/compressors/sparse/sparse.hpp"

namespace arlab::training {

/// A sum that may have become dense.
struct SparseSum {
  bool is_dense = false;
  SparseVector entries;       ///< unless dense
  std::vector<float> vector;  ///< if dense

  Count bytes() const {
    return static_cast<Count>(is_dense ? vector.size() * sizeof(float)
                                       : entries.size() * sizeof(Entry));
  }
};

/// Returns the sum of all ranks' `mine`, which are parts of vectors of n elements; every rank gets
/// the same bits. A message of 8 bytes with kind and length precedes each message of data.
SparseSum sum_by_doubling(collectives::Communicator& communicator, SparseVector mine, Count n);

}  // namespace arlab::training
