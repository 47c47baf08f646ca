// Stochastic rounding on a GPU: the levels of QSGD and TernGrad, natural compression's powers of two.
//
// Gives the same bits as the CPU kernels (training/compressors/kernels/kernels.hpp): random words
// come from a counter and one source (kernels/stochastic_rounding.inc), and sums are kept in the
// same sixteen lanes. All memory is device memory.
#pragma once

#include <cstdint>

#include "collectives/cuda/kernels.hpp"

namespace arlab::training::cuda {

using collectives::cuda::Launch;

/// Sets into[b] to the sum of squares of bucket b, which has `bucket` elements, or the rest of n.
void square_sums(double* into, const float* x, Count n, Count bucket, const Launch& launch);

/// Computes levels + sign(x) level. The level is |x| times[its bucket], at most `levels`, rounded up
/// with the probability of its fraction. Word i is that of the Random with this key.
void to_levels(std::uint8_t* codes, const float* x, Count n, const float* times, Count bucket,
               std::uint64_t key, int levels, const Launch& launch);

/// Writes the sign and the exponent, rounded up with the probability of the fraction.
void round_to_powers_of_two(std::byte* code, const float* x, Count n, std::uint64_t key,
                            const Launch& launch);

}  // namespace arlab::training::cuda
