// SparseCompressor: the common base of compressors whose codes are elements with their positions.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"
#include "training/compressors/sparse/sparse_code.hpp"

namespace arlab::training {

class SparseCompressor : public Compressor {
 public:
  /// `halves`: values as float16.
  explicit SparseCompressor(bool halves = false) : code_(halves) {}

  void decode_add(std::span<const std::byte> code, std::span<float> into, float weight,
                  const EncodeContext&) final {
    code_.add(code, into, weight);
  }

 protected:
  /// Returns the code of x at these positions.
  std::span<std::byte> write(std::span<const float> x, std::span<const std::uint32_t> at) {
    return code_.write(x, at);
  }
  Selector& selector() { return selector_; }

 private:
  Selector selector_;
  SparseCode code_;
};

/// Sends all elements above a magnitude. With tau = 0 it is exact; it encodes the sums of sparse
/// codes.
std::unique_ptr<Compressor> magnitudes_above(float tau);

/// Returns the entry completed with what all sparse compressors share: aggregation by all-gather,
/// replies by union, and an unknown code size unless the entry has one.
CompressorKind sparse_kind(CompressorKind entry);

}  // namespace arlab::training
