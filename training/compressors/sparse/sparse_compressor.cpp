#include "training/compressors/sparse/sparse_compressor.hpp"

#include <bit>

namespace arlab::training {
namespace {

class MagnitudesAbove final : public SparseCompressor {
 public:
  explicit MagnitudesAbove(float tau) : min_(std::bit_cast<std::uint32_t>(tau) + 1) {}

  std::span<std::byte> encode(std::span<const float> gradient, const EncodeContext&) override {
    return write(gradient, selector().from(gradient, min_));
  }

 private:
  std::uint32_t min_;  // bits of the next larger float
};

std::optional<Count> unknown_size(const TensorShapes&, const CompressorChoice&, Aggregation,
                                  Count) {
  return std::nullopt;
}

std::unique_ptr<Compressor> union_reply(const TensorShapes&, const CompressorChoice&) {
  return magnitudes_above(0);
}

}  // namespace

std::unique_ptr<Compressor> magnitudes_above(float tau) {
  return std::make_unique<MagnitudesAbove>(tau);
}

CompressorKind sparse_kind(CompressorKind entry) {
  entry.aggregations = {Aggregation::all_gather};
  if (!entry.packed) entry.packed = unknown_size;
  entry.make_reply = union_reply;
  entry.sparse = true;
  return entry;
}

}  // namespace arlab::training
