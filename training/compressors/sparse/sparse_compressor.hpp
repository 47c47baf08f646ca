// Sparse compressors: what all whose codes are some elements, by position, have in common.
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
  /// The code of x at these positions.
  std::span<std::byte> write(std::span<const float> x, std::span<const std::uint32_t> at) {
    return code_.write(x, at);
  }
  Selector& selector() { return selector_; }

 private:
  Selector selector_;
  SparseCode code_;
};

/// Elements above a magnitude; above 0 it is exact: what a server answers to sparse codes, the
/// union of their elements.
std::unique_ptr<Compressor> magnitudes_above(float tau);

/// The entry with what all of these share: they are collected, answered by a union, and only the
/// gradient tells their size unless the entry does.
CompressorKind sparse_kind(CompressorKind entry);

}  // namespace arlab::training
