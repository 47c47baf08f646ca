// Sparse allreduce in O(k): every rank reduces a region of the vector, chosen so that all have
// equally many entries to reduce, and of the sum only about the k largest entries go round.
//
// Li & Hoefler, Near-optimal sparse allreduce for distributed deep learning (Ok-Topk), PPoPP 2022.
// A rank receives about 2k entries for the regions and the balanced all-gather, whatever the number
// of ranks. Here the selection's threshold is taken from a histogram of all sums' magnitudes,
// instead of estimated from earlier steps, so that every run is exact.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "training/compressors/sparse/sparse.hpp"

namespace arlab::training {

struct BalancedOptions {
  int period = 64;  ///< regions are chosen anew every so many sums
  const Algorithm* allreduce = &find_algorithm("ring");
  const Algorithm* all_gather = &find_algorithm("ring");
};

class BalancedSum {
 public:
  BalancedSum(Count n, const BalancedOptions& options) : n_(n), options_(options) {}

  /// The sum of all ranks' `mine`, or if `keep` is above 0 its largest entries: at least `keep` of
  /// them, and all that are as large as the eighth of an octave that the last of these falls into.
  /// Contributions to one entry are added in rank order. Every rank gives the same `keep`, and gets
  /// the same bits.
  SparseVector run(collectives::Communicator& communicator, std::span<const Entry> mine,
                   Count keep = 0);

  /// Where each rank's region begins, and n: as of the last run.
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
