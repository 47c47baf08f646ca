// Deep gradient compression: top-k of a velocity that accumulates locally until it is sent.
//
// u = m u + g (momentum correction), v += u. The elements of v above a threshold are sent, and both
// u and v are zeroed there (factor masking). A sample of v determines the threshold. The first
// steps send more. The optimizer must not have momentum, because the compressor has it. Lin et al.,
// Deep gradient compression, ICLR 2018.
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "training/compressors/codes.hpp"
#include "training/compressors/ratio.hpp"
#include "training/compressors/sparse/sparse_compressor.hpp"

namespace arlab::training::compressor_catalog {
namespace {

constexpr std::array kWarmUp{0.25, 0.0625, 0.015625, 0.004};
constexpr Count kMinSample = 256;

struct Settings {
  double momentum, ratio, sample;
  Count warm_up;

  double ratio_at(Count step) const {
    const Count stage = warm_up > 0 ? step / warm_up : static_cast<Count>(kWarmUp.size());
    return stage < static_cast<Count>(kWarmUp.size())
               ? std::max(ratio, kWarmUp[static_cast<std::size_t>(stage)])
               : ratio;
  }
};

class Dgc final : public SparseCompressor {
 public:
  Dgc(Count n, const Settings& settings)
      : settings_(settings), u_(static_cast<std::size_t>(n)), v_(u_.size()) {}

  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    const auto momentum = static_cast<float>(settings_.momentum);
    for (std::size_t i = 0; i < v_.size(); ++i) {
      u_[i] = momentum * u_[i] + gradient[i];
      v_[i] += u_[i];
    }
    const auto at = selector().from(v_, threshold(context));
    const auto code = write(v_, at);
    for (const std::uint32_t i : at) u_[i] = v_[i] = 0;
    return code;
  }
  void give_back(std::uint32_t at, float value) override {
    if (std::isfinite(value)) v_[at] += value;
  }
  void visit_state(const StateVisitor& visit) override {
    visit(u_);
    visit(v_);
  }

 private:
  /// Returns the bits of the smallest magnitude to send. Zeros are never sent; NaN and infinities
  /// always are.
  std::uint32_t threshold(const EncodeContext& context) {
    const Count n = length(v_);
    if (n == 0) return kInfinity;
    const double ratio = settings_.ratio_at(context.step);
    const Count wanted = std::max(part_of(settings_.sample, n), std::min(n, kMinSample));
    keys_.resize(static_cast<std::size_t>(wanted));
    const Random random = random_of(context);
    for (Count j = 0; j < wanted; ++j) {
      const Count i = wanted == n ? j : random.below(n, static_cast<std::uint64_t>(j));
      keys_[static_cast<std::size_t>(j)] =
          std::bit_cast<std::uint32_t>(v_[static_cast<std::size_t>(i)]) & kMagnitude;
    }
    const auto kth = keys_.begin() + (part_of(ratio, wanted) - 1);
    std::nth_element(keys_.begin(), kth, keys_.end(), std::greater<>());
    return std::clamp(*kth, 1u, kInfinity);
  }

  Settings settings_;
  std::vector<float> u_, v_;
  std::vector<std::uint32_t> keys_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<Dgc>(elements(layout),
                               Settings{value(choice, "momentum"), value(choice, "ratio"),
                                        value(choice, "sample"), whole(choice, "warm_up")});
}

}  // namespace

CompressorKind dgc() {
  return sparse_kind({
      .name = "dgc",
      .label = "DGC",
      .summary =
          "the largest elements of a locally accumulated velocity; more of them in the first steps",
      .source = "Lin et al., ICLR 2018",
      .size = "8 bytes per element above a sampled threshold, about 8 ratio n",
      .special_values = "NaN and infinities are sent and then forgotten; zeros are never sent",
      .parameters = {{"momentum", Parameter::Unit::number, "0.9", "of the velocity", 0, 0.9999},
                     {"ratio", Parameter::Unit::number, "0.001",
                      "approximate fraction of the elements sent", 1e-9, 1},
                     {"sample", Parameter::Unit::number, "0.01",
                      "fraction of the elements sampled for the threshold", 1e-6, 1},
                     {"warm_up", Parameter::Unit::count, "100",
                      "steps at each of the ratios 0.25, 0.0625, 0.015625, 0.004", 0, 1e9}},
      .feedback = Feedback::built_in,
      .optimizer = "SGD without momentum",
      .make = make,
  });
}

}  // namespace arlab::training::compressor_catalog
