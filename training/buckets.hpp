// Buckets: which gradients travel together.
//
// The rule of PyTorch's DistributedDataParallel (Li et al., VLDB 13(12), 2020): variables from the
// last to the first, as the backward pass completes them; a bucket is closed once it holds its
// size; the first one is small, so that communication starts early.
#pragma once

#include <span>
#include <vector>

#include "training/replica.hpp"

namespace arlab {

struct BucketSizes {
  Count first = Count{1} << 20;  ///< bytes that close the first bucket
  Count cap = Count{25} << 20;   ///< and every other one
};

/// Neighbouring variables: one span of the flat gradients.
struct Bucket {
  std::size_t first = 0, last = 0;  ///< variables, both in it
  Count offset = 0, elements = 0;
  bool operator==(const Bucket&) const = default;
};

/// In the order of the backward pass. Throws Error(usage) unless both sizes are at least 1.
std::vector<Bucket> buckets_of(std::span<const Variable> variables, const BucketSizes& sizes);

/// Counts what is ready, and tells which bucket is next and complete. Buckets complete in their
/// own order: one that is full waits for those before it, the same on every rank.
class BucketCounter {
 public:
  explicit BucketCounter(std::vector<Bucket> buckets);

  std::span<const Bucket> buckets() const { return buckets_; }
  void start_step();
  void ready(std::size_t variable);
  /// The index of the next bucket if it is complete, else -1; each bucket is given once a step.
  int next();

 private:
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;  // by variable
  std::vector<std::size_t> missing_;    // variables, by bucket
  std::size_t next_ = 0;
};

}  // namespace arlab
