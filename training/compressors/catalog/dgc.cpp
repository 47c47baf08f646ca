// Deep gradient compression: top-k of a velocity that accumulates locally until it is sent.
//
// u = m u + g (momentum correction), v += u. The largest elements of v are sent, and both u and v
// are zeroed there (factor masking). A sample of v gives a threshold that somewhat more elements
// exceed; a second selection among these leaves the wanted number (hierarchical selection). The
// first steps send more. The optimizer must not have momentum, because the compressor has it. Lin
// et al., Deep gradient compression, ICLR 2018.
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "training/compressors/codec_work.hpp"
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
    const double ratio = settings_.ratio_at(context.step);
    const auto at = selector().from(v_, threshold(context, ratio), part_of(ratio, length(v_)));
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
  /// Returns the bits of a magnitude that nearly always at least the wanted part exceeds: two
  /// standard deviations below that of the sample. Zeros never exceed it; NaN and infinities always
  /// do.
  std::uint32_t threshold(const EncodeContext& context, double ratio) {
    const Count n = length(v_);
    if (n == 0) return kInfinity;
    const Count wanted = std::max(part_of(settings_.sample, n), std::min(n, kMinSample));
    keys_.resize(static_cast<std::size_t>(wanted));
    const Random random = random_of(context);
    for (Count j = 0; j < wanted; ++j) {
      const Count i = wanted == n ? j : random.below(n, static_cast<std::uint64_t>(j));
      keys_[static_cast<std::size_t>(j)] =
          std::bit_cast<std::uint32_t>(v_[static_cast<std::size_t>(i)]) & kMagnitude;
    }
    const double expected = ratio * static_cast<double>(wanted);
    const Count among =
        wanted == n
            ? part_of(ratio, n)
            : std::min(wanted,
                       static_cast<Count>(std::ceil(expected + 2 * std::sqrt(expected) + 1)));
    const auto kth = keys_.begin() + (among - 1);
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

Count warm_up(const CompressorChoice& choice) {
  return static_cast<Count>(kWarmUp.size()) * whole(choice, "warm_up");
}

// Velocity and its sum, the sample, a count, and the selection.
CodecWork work(const CompressorChoice& choice, Count) {
  const double part = value(choice, "ratio");
  return {.encode = kMovesFloat + 2 * kMovesSum + value(choice, "sample") * kMovesScattered +
                    2 * kMovesFloat + part * (3 * kMovesScattered + kMovesEntry),
          .decode = part * (kMovesEntry + 2 * kMovesScattered)};
}

}  // namespace

CompressorKind dgc() {
  return sparse_kind({
      .name = "dgc",
      .label = "DGC",
      .summary =
          "the largest elements of a locally accumulated velocity; more of them in the first steps",
      .source = "Lin et al., ICLR 2018",
      .size = "at most 8 ceil(ratio n), with a larger ratio in the first 4 warm_up steps",
      .special_values = "sent first: NaN, then infinities, which are then forgotten; zeros are "
                        "never sent; ties go "
                        "to the first element",
      .parameters = {{"momentum", Parameter::Unit::number, "0.9", "of the velocity", 0, 0.9999},
                     {"ratio", Parameter::Unit::number, "0.001",
                      "part of the elements sent, at most", 1e-9, 1},
                     {"sample", Parameter::Unit::number, "0.01",
                      "fraction of the elements sampled for the threshold", 1e-6, 1},
                     {"warm_up", Parameter::Unit::count, "100",
                      "steps at each of the ratios 0.25, 0.0625, 0.015625, 0.004", 0, 1e9}},
      .feedback = Feedback::built_in,
      .optimizer = "SGD without momentum",
      .work = work,
      .make = make,
      .warm_up = warm_up,
  });
}

}  // namespace arlab::training::compressor_catalog
