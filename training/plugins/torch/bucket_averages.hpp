// BucketAverages: averages the gradient buckets of one model by a compressor of the catalog, as a
// communication hook of DistributedDataParallel does.
//
// Each bucket has its own state, error feedback for example, from step to step. The first step
// travels uncompressed, since DistributedDataParallel cuts its buckets anew after it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "training/compressors/aggregate.hpp"
#include "training/plugins/torch/ranks/group_ranks.hpp"

namespace arlab::training {

/// One bucket of a step.
struct GradientBucket {
  Count index = 0;
  bool last = false;  ///< of the step
  std::span<float> gradients;
  TensorShapes layout;  ///< the tensors that lie in `gradients`, in order
};

class BucketAverages {
 public:
  /// `spec` as choose_compressor() takes it, with its errors; "none" compresses nothing. `seed`
  /// decides all random choices, and is the same on all ranks.
  BucketAverages(std::string_view spec, std::uint64_t seed);

  /// The spec with every parameter.
  std::string spec() const;

  /// Replaces the gradients by their average over the ranks. All ranks call it for the same buckets
  /// in the same order, and get the same bits. Throws Error(usage) if a bucket has other tensors
  /// than before.
  void run(GroupRanks& ranks, const GradientBucket& bucket);

 private:
  struct Compressed {
    TensorShapes layout;
    Aggregator aggregator;
  };
  Compressed make(const GroupRanks& ranks, const TensorShapes& layout) const;
  void compress(GroupRanks& ranks, const GradientBucket& bucket);

  std::optional<CompressorChoice> choice_;
  std::uint64_t seed_;
  Count step_ = 0;
  std::map<Count, Compressed> buckets_;
};

}  // namespace arlab::training
