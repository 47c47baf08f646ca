// Sparse allreduce in O(k): every rank reduces a region of the vector, and about the k largest
// entries of the sum are gathered. The regions have about equally many entries each.
//
// A rank receives about 2k entries for the regions and the balanced all-gather, for any number of
// ranks. Here the selection threshold comes from a histogram of all sums' magnitudes, instead of an
// estimate from earlier steps, so that every run is exact. Li & Hoefler, Near-optimal sparse
// allreduce for distributed deep learning (Ok-Topk), PPoPP 2022.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "training/compressors/sparse/sparse.hpp"

namespace arlab::training {

struct BalancedOptions {
  int period = 64;  ///< sums between two choices of the regions
  const Algorithm* allreduce = &find_algorithm("ring");
  const Algorithm* all_gather = &find_algorithm("ring");
};

class BalancedSum {
 public:
  BalancedSum(Count n, const BalancedOptions& options) : n_(n), options_(options) {}

  /// Returns the sum of all ranks' `mine`, or its largest entries if `keep` is above 0: at least
  /// `keep` entries, and all others in the same eighth of an octave as the last of these. Adds
  /// contributions in rank order. Every rank passes the same `keep` and gets the same bits.
  SparseVector run(collectives::Communicator& communicator, std::span<const Entry> mine,
                   Count keep = 0);

  /// Returns where each rank's region began in the last run, then n.
  std::span<const Count> regions() const { return begins_; }

 private:
  void choose_regions(collectives::Communicator& communicator, std::span<const Entry> mine);
  SparseVector reduce_region(collectives::Communicator& communicator,
                             std::span<const Entry> mine) const;
  void keep_largest(collectives::Communicator& communicator, Count keep,
                    SparseVector& region) const;
  SparseVector gather(collectives::Communicator& communicator, std::span<Entry> region) const;

  Count n_;
  BalancedOptions options_;
  int runs_ = 0;
  std::vector<Count> begins_;
};

}  // namespace arlab::training
