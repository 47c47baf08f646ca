#include "training/compressors/error_feedback.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

class ErrorFeedback final : public Compressor {
 public:
  ErrorFeedback(std::unique_ptr<Compressor> inner, Count elements, SharedVectorKernels kernels)
      : Compressor(inner->operands()),
        inner_(std::move(inner)),
        kernels_(std::move(kernels)),
        n_(elements),
        memory_(kernels_->allocate(static_cast<std::size_t>(elements) * sizeof(float))),
        residual_(reinterpret_cast<float*>(memory_.data()), static_cast<std::size_t>(elements)) {
    kernels_->clear(residual_.data(), n_);
  }

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    expects(gradient.size() == residual_.size(), "the gradient has another size than before");
    kernels_->add_scaled(residual_.data(), gradient.data(), n_, 1);
    pass_ = 0;
    return subtract_last(inner_->encode(residual_, context), context);
  }
  std::span<std::byte> next(const EncodeContext& context) override {
    ++pass_;
    return subtract_last(inner_->next(context), context);
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext& context) override {
    inner_->decode_add(code, into, weight, context);
  }
  void give_back(std::uint32_t at, float value) override {  // only on the host
    if (std::isfinite(value)) residual_[at] += value;
  }
  void finish(std::span<float> average, const EncodeContext& context) override {
    inner_->finish(average, context);
  }
  void visit_state(const StateVisitor& visit) override {
    inner_->visit_state(visit);
    if (!kernels_->device) return visit(residual_);
    std::vector<float> here(residual_.size());  // visitors read and write on the host
    const auto bytes = std::as_writable_bytes(std::span(here));
    kernels_->copy(bytes.data(), memory_.data(), bytes.size());
    kernels_->wait();
    visit(here);
    kernels_->copy(memory_.data(), bytes.data(), bytes.size());
    kernels_->wait();
  }

 private:
  /// The last pass's code is this rank's own only until the others' codes are added to it.
  std::span<std::byte> subtract_last(std::span<std::byte> code, const EncodeContext& context) {
    if (pass_ + 1 < inner_->passes()) return code;
    inner_->decode_add(code, residual_, -1, context);
    kernels_->drop_not_finite(residual_.data(), n_);
    return code;
  }

  std::unique_ptr<Compressor> inner_;
  SharedVectorKernels kernels_;
  Count n_;
  collectives::DeviceMemory memory_;
  std::span<float> residual_;  // in that
  int pass_ = 0;
};

}  // namespace

std::unique_ptr<Compressor> with_error_feedback(std::unique_ptr<Compressor> inner, Count elements,
                                                SharedVectorKernels kernels) {
  return std::make_unique<ErrorFeedback>(std::move(inner), elements, std::move(kernels));
}

}  // namespace arlab::training
