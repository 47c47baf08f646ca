// Compression by chance on a GPU: QSGD's and TernGrad's levels, natural's powers of two.
//
// The same bits as the compressors' kernels on the CPU (training/compressors/kernels/kernels.hpp): random
// words come from a counter and one source (training/compressors/kernels/stochastic_rounding.inc), sums are kept in the same
// sixteen lanes. All memory is the device's.
#pragma once

#include <cstdint>

#include "collectives/cuda/kernels.hpp"

namespace arlab::training::cuda {

using collectives::cuda::Launch;

/// into[b] = the sum of the squares of bucket b: elements b * bucket and on, `bucket` of them or
/// what is left of n.
void square_sums(double* into, const float* x, Count n, Count bucket, const Launch& launch);

/// levels + sign(x) level, where the level is |x| times[its bucket] rounded up with the chance of
/// its fraction, at most `levels`. The words are those of the Random of this key from number 0 on.
void to_levels(std::uint8_t* codes, const float* x, Count n, const float* times, Count bucket,
               std::uint64_t key, int levels, const Launch& launch);

/// The sign, and the exponent rounded up with the chance of the fraction.
void to_powers(std::byte* code, const float* x, Count n, std::uint64_t key, const Launch& launch);

}  // namespace arlab::training::cuda
