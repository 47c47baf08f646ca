// EF-signSGD: signs times the mean magnitude, with error feedback built in.
//
// Karimireddy et al., Error feedback fixes signSGD and other gradient compression schemes, ICML
// 2019.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/error_feedback.hpp"
#include "training/compressors/scaled_sign.hpp"

namespace arlab::training::compressor_catalog {
namespace {

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  const Count n = elements(layout);
  const SharedVectorKernels kernels = kernels_of(choice);
  return with_error_feedback(scaled_signs(n, kernels), n, kernels);
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice&, Aggregation,
                            Count) {
  return scaled_sign_bytes(elements(layout));
}

// The mean magnitude is known after a pass of its own.
CodecWork work(const CompressorChoice&, Count) {
  return with_feedback({.encode = 2 * kMovesFloat + kMovesBit, .decode = kMovesBit + kMovesSum});
}

}  // namespace

CompressorKind ef_signsgd() {
  return {
      .name = "ef_signsgd",
      .label = "EF-signSGD",
      .summary = "signs times the mean magnitude; losses are sent later",
      .source = "Karimireddy et al., ICML 2019",
      .size = "ceil(n/8) + 4",
      .special_values = "any NaN or infinity makes all elements NaN; 0 counts by its sign bit",
      .aggregations = {Aggregation::all_gather},
      .feedback = Feedback::built_in,
      .packed = packed,
      .work = work,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
