#include "training/compressors/scaled_sign.hpp"

#include "algorithms/base/error.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training {
namespace {

class ScaledSigns final : public Compressor {
 public:
  ScaledSigns(Count n, SharedVectorKernels kernels, Count from)
      : kernels_(std::move(kernels)),
        from_(from),
        dense_(from > 0 ? static_cast<std::size_t>(n) * sizeof(float) : 0),
        code_(*kernels_, scaled_sign_bytes(n)),
        scratch_(kernels_->allocate(kernels_->sum_scratch(n))) {}

  std::span<std::byte> encode(std::span<const float> x, const EncodeContext& context) override {
    if (context.step < from_) {
      if (!x.empty()) std::memcpy(dense_.data(), x.data(), dense_.size());
      return dense_;
    }
    kernels_->to_scaled_signs(code_.data(), x.data(), length(x), scratch_.data());
    return code_.all();
  }

  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& context) override {
    if (context.step < from_) {
      for (Count i = 0; i < length(into); ++i)
        into[static_cast<std::size_t>(i)] += weight * load<float>(code, i);
      return;
    }
    kernels_->add_scaled_signs(into.data(), code.data(), length(into), weight);
  }

 private:
  SharedVectorKernels kernels_;
  Count from_;
  std::vector<std::byte> dense_;  // only on the host
  CodeStorage code_;
  collectives::DeviceMemory scratch_;
};

}  // namespace

std::unique_ptr<Compressor> scaled_signs(Count elements, SharedVectorKernels kernels, Count from) {
  expects(from == 0 || !kernels->device, "vectors as codes are made on the host only");
  return std::make_unique<ScaledSigns>(elements, std::move(kernels), from);
}

Count scaled_sign_bytes(Count elements) {
  return static_cast<Count>(sizeof(float)) + bytes_of_bits(elements);
}

}  // namespace arlab::training
