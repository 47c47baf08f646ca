#include "training/compressors/scaled_sign.hpp"

#include <cmath>
#include <limits>

#include "training/compressors/codes.hpp"

namespace arlab::training {
namespace {

class ScaledSigns final : public Compressor {
 public:
  ScaledSigns(Count n, SharedVectorKernels kernels, Count from)
      : kernels_(std::move(kernels)),
        from_(from),
        dense_(from > 0 ? static_cast<std::size_t>(n) * sizeof(float) : 0),
        code_(static_cast<std::size_t>(scaled_sign_bytes(n))) {}

  std::span<std::byte> encode(std::span<const float> x, const EncodeContext& context) override {
    if (context.step < from_) {
      if (!x.empty()) std::memcpy(dense_.data(), x.data(), dense_.size());
      return dense_;
    }
    const Count n = length(x);
    const double mean =
        n > 0 ? encode_kernels().sum_of_magnitudes(x.data(), n) / static_cast<double>(n) : 0;
    store(code_, 0,
          std::isfinite(mean) ? static_cast<float>(mean) : std::numeric_limits<float>::quiet_NaN());
    kernels_->pack_signs(code_.data() + sizeof(float), x.data(), n);
    return code_;
  }

  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& context) override {
    if (context.step < from_) {
      for (Count i = 0; i < length(into); ++i)
        into[static_cast<std::size_t>(i)] += weight * load<float>(code, i);
      return;
    }
    const float scale = weight * load<float>(code, 0);
    kernels_->add_signs(into.data(), code.data() + sizeof(float), length(into), scale, -scale);
  }

 private:
  SharedVectorKernels kernels_;
  Count from_;
  std::vector<std::byte> dense_, code_;
};

}  // namespace

std::unique_ptr<Compressor> scaled_signs(Count elements, SharedVectorKernels kernels, Count from) {
  return std::make_unique<ScaledSigns>(elements, std::move(kernels), from);
}

Count scaled_sign_bytes(Count elements) {
  return static_cast<Count>(sizeof(float)) + bytes_of_bits(elements);
}

}  // namespace arlab::training
