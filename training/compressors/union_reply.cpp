#include "training/compressors/union_reply.hpp"

#include <bit>

#include "training/compressors/sparse_code.hpp"

namespace arlab {
namespace {

class MagnitudesAbove final : public Compressor {
 public:
  explicit MagnitudesAbove(float tau) : least_(std::bit_cast<std::uint32_t>(tau) + 1) {}

  std::span<std::byte> encode(std::span<const float> gradient, const Occasion&) override {
    return code_.write(gradient, selector_.from(gradient, least_));
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const Occasion&) override {
    code_.add(code, into, weight);
  }

 private:
  std::uint32_t least_;  // bits of the next float
  Selector selector_;
  SparseCode code_;
};

}  // namespace

std::unique_ptr<Compressor> magnitudes_above(float tau) {
  return std::make_unique<MagnitudesAbove>(tau);
}

}  // namespace arlab
