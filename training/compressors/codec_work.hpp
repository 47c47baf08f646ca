// What encoders and decoders move through memory, in bytes per element: what the work() of a
// catalog's entry adds up.
//
// Each pass over a vector that does not fit in a cache counts; blocks that stay in one between two
// kernels do not.
#pragma once

#include "training/compressors/compressor.hpp"

namespace arlab::training {

inline constexpr double kMovesFloat = 4, kMovesHalf = 2, kMovesByte = 1,
                        kMovesBit = 0.125;  ///< read or written once
inline constexpr double kMovesSum = 8;      ///< an element of a sum, read and written
/// An element somewhere in a vector, read or written: memory moves a sector of 32 bytes.
inline constexpr double kMovesScattered = 32;
/// A position and a value of a sparse code.
inline constexpr double kMovesEntry = 8;

/// Of a code of two bytes per element, in one pass.
inline CodecWork halves_work(const CompressorChoice&, Count) {
  return {.encode = kMovesFloat + kMovesHalf, .decode = kMovesHalf + kMovesSum};
}

/// Adds error feedback: the residual takes the gradient, loses its own decoded code, and is checked
/// for numbers that are not finite.
constexpr CodecWork with_feedback(CodecWork work) {
  work.encode += kMovesFloat + kMovesSum + work.decode + kMovesSum;
  work.encode_operations += work.decode_operations;
  return work;
}

}  // namespace arlab::training
