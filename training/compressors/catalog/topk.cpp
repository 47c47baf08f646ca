// top-k: sends the k elements of largest magnitude, with their positions.
//
// Stich, Cordonnier, Jaggi, Sparsified SGD with memory, NeurIPS 2018; Alistarh et al., NeurIPS
// 2018.
#include <cmath>

#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/ratio.hpp"
#include "training/compressors/sparse/sparse_compressor.hpp"

namespace arlab::training::compressor_catalog {
namespace {

class TopK final : public SparseCompressor {
 public:
  TopK(Count k, bool halves) : SparseCompressor(halves), k_(k) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    return write(gradient, selector().largest(gradient, k_));
  }

 private:
  Count k_;
};

std::unique_ptr<Compressor> make(const TensorShapes& layout, const CompressorChoice& choice,
                                 Aggregation) {
  return std::make_unique<TopK>(chosen_k(choice, elements(layout)), whole(choice, "halves") == 1);
}

std::optional<Count> packed(const TensorShapes& layout, const CompressorChoice& choice, Aggregation,
                            Count) {
  return chosen_k(choice, elements(layout)) * SparseCode(whole(choice, "halves") == 1).bytes_each();
}

// A histogram, then the selection.
CodecWork work(const CompressorChoice& choice, Count elements) {
  const double part = selected_part(chosen_k(choice, elements), elements);
  return {.encode = 2 * kMovesFloat + part * (kMovesScattered + kMovesEntry),
          .decode = part * (kMovesEntry + 2 * kMovesScattered)};
}

}  // namespace

CompressorKind topk() {
  return sparse_kind({
      .name = "topk",
      .label = "top-k",
      .summary = "the k elements of largest magnitude, with their positions",
      .source = "Stich et al., NeurIPS 2018",
      .size = "8k; 6k with float16",
      .special_values =
          "sent first: NaN, then infinities; ties go to the first element; as float16, magnitudes "
          "above 65504 become infinite, those below 3e-8 0",
      .parameters = {kRatio,
                     kK,
                     {"halves", Parameter::Unit::count, "0", "1: sends values as float16", 0, 1}},
      .feedback = Feedback::on,
      .packed = packed,
      .work = work,
      .make = make,
  });
}

}  // namespace arlab::training::compressor_catalog
