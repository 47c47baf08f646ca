#include "training/plugins/torch/bucket_averages.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/compressors/advice.hpp"

namespace arlab::training {
namespace {

constexpr Count kDenseSteps = 1;

std::optional<CompressorChoice> choice_of(std::string_view spec) {
  if (spec == "none") return {};
  return choose_compressor(spec);
}

}  // namespace

BucketAverages::BucketAverages(std::string_view spec, std::uint64_t seed)
    : choice_(choice_of(spec)), seed_(seed) {}

std::string BucketAverages::spec() const { return choice_ ? text(*choice_) : "none"; }

void BucketAverages::run(GroupRanks& ranks, const GradientBucket& bucket) {
  if (choice_ && step_ >= kDenseSteps) {
    compress(ranks, bucket);
  } else {
    // Scaled before they are added, as DistributedDataParallel does: to its bits.
    const auto share = static_cast<float>(1.0 / ranks.communicator.ranks());
    for (float& x : bucket.gradients) x *= share;
    ranks.allreduce(std::as_writable_bytes(bucket.gradients),
                    {collectives::DType::float32, collectives::Op::sum});
  }
  if (bucket.last) ++step_;
}

void BucketAverages::compress(GroupRanks& ranks, const GradientBucket& bucket) {
  auto found = buckets_.find(bucket.index);
  if (found == buckets_.end())
    found = buckets_.emplace(bucket.index, make(ranks, bucket.layout)).first;
  if (found->second.layout != bucket.layout)
    fail(Blame::usage, concat("bucket ", bucket.index,
                              " has other tensors than in the step before: "
                              "give each model a compressor of its own"));
  found->second.aggregator.run(ranks.communicator, bucket.gradients,
                               {.seed = seed_,
                                .step = step_ - kDenseSteps,
                                .tensor = static_cast<std::uint32_t>(bucket.index),
                                .rank = ranks.communicator.rank(),
                                .ranks = ranks.communicator.ranks()});
}

auto BucketAverages::make(const GroupRanks& ranks, const TensorShapes& layout) const -> Compressed {
  const Rank size = ranks.communicator.ranks();
  const Aggregation aggregation = choose_aggregation(*choice_, {layout}, size).aggregation;
  const auto code = choice_->kind->packed(layout, *choice_, aggregation, 0);
  const Routes routes{.allreduce = &ranks.code_algorithm(code.value_or(4 * elements(layout)))};
  return {layout,
          make_aggregator(*choice_, layout, aggregation, size, ranks.communicator.rank(), routes)};
}

}  // namespace arlab::training
