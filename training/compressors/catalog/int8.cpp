// int8: affine quantization to one byte; every bucket has its own step and zero point.
//
// q = round(x / s) + z with s = (max - min) / 255. The range is widened to include 0, so that 0
// stays 0. The bucket headers (s and z as floats) come first, then the bytes. Jacob et al.,
// Quantization and training of neural networks for efficient integer-arithmetic-only inference,
// CVPR 2018.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr Count kHeader = 2 * sizeof(float);

class Int8 final : public Compressor {
 public:
  Int8(Count n, Count bucket, SharedVectorKernels kernels)
      : kernels_(std::move(kernels)),
        bucket_(bucket),
        code_(*kernels_, n + kHeader * Buckets{n, bucket}.count()) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    kernels_->to_buckets(code_.data(), gradient.data(), length(gradient), bucket_);
    return code_.all();
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) override {
    kernels_->add_buckets(into.data(), code.data(), length(into), bucket_, weight);
  }

 private:
  SharedVectorKernels kernels_;
  Count bucket_;
  CodeStorage code_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Int8>(elements(layout), whole(choice, "bucket"), kernels_of(choice));
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  const Buckets buckets{elements(layout), whole(choice, "bucket")};
  return buckets.elements + kHeader * buckets.count();
}

// A bucket is read once, and then in the cache.
CodecWork work(const CompressorChoice&, Count) {
  return {.encode = kMovesFloat + kMovesByte, .decode = kMovesByte + kMovesSum};
}

}  // namespace

CompressorKind int8() {
  return {
      .name = "int8",
      .label = "int8 affine",
      .summary = "one byte per element: multiples of a step that each bucket chooses",
      .source = "Jacob et al., CVPR 2018",
      .size = "n + 8 ceil(n/bucket)",
      .special_values =
          "a bucket with a NaN or infinity becomes NaN; steps below the normal floats become 0",
      .parameters = {{"bucket", Parameter::Unit::count, "1024", "elements that share a step", 1,
                      1 << 30}},
      .aggregations = {Aggregation::requantize, Aggregation::all_gather},
      .packed = packed,
      .work = work,
      .make = make,
      .on_gpu = true,
  };
}

}  // namespace arlab::training::compressor_catalog
