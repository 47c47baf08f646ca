// CodecCost: the time to encode and decode gradients, for training in simulated time.
#pragma once

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Seconds per element: to encode it, all passes together, and to add it from a code to a vector.
struct CodecCost {
  double encode = 0, decode = 0;
};

/// Measures the cost here, as the median of a few runs, on a vector of the given number of
/// normally distributed elements (at least 1).
CodecCost measured_codec_cost(const CompressorChoice& choice, Count elements);

/// The work of the choice on a vector of so many elements, with its error feedback.
CodecWork work_of(const CompressorChoice& choice, Count elements);

/// The rates of a device's data sheet.
struct DeviceRates {
  double memory = 0;      ///< bytes per second
  double arithmetic = 0;  ///< float32 operations per second
};

/// The part of the memory's rate that a copy reaches: 82 to 84% on H100 and H200
/// (docs/results/gpu.md).
inline constexpr double kReachedRate = 0.8;

/// Returns what the work takes on a device whose kernels do nothing but wait for its memory, and
/// for its operations where there are many. Starts of kernels are left out, so it is the least.
CodecCost counted_codec_cost(const CompressorChoice& choice, Count elements,
                             const DeviceRates& device);

}  // namespace arlab::training
