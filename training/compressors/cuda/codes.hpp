// Compression on a GPU: casts, sign bits, bytes, packed codes, and the selection of top-k.
//
// Gives the same bits as the CPU kernels (training/compressors/kernels/kernels.hpp): nothing is
// contracted, and selected positions are in order. All memory is device memory, aligned to 16
// bytes. Bins, counts and extents accumulate onto what they hold.
#pragma once

#include <cstdint>

#include "collectives/cuda/kernels.hpp"

namespace arlab::training::cuda {

using collectives::cuda::Launch;

void to_halves(std::byte* code, const float* x, Count n, float divisor, const Launch& launch);
void add_halves(float* into, const std::byte* code, Count n, float weight, const Launch& launch);
void to_bfloats(std::byte* code, const float* x, Count n, const Launch& launch);
void add_bfloats(float* into, const std::byte* code, Count n, float weight, const Launch& launch);

/// Packs sign bits, eight per byte, the first one lowest; bits beyond n are clear.
void pack_signs(std::byte* bits, const float* x, Count n, const Launch& launch);
/// The same, but of a 0 the bit is set at odd positions only, or at even ones.
void pack_votes(std::byte* bits, const float* x, Count n, bool odd, const Launch& launch);
/// Does into[i] += (bit i ? set : clear).
void add_signs(float* into, const std::byte* bits, Count n, float clear, float set,
               const Launch& launch);

/// Signs as float16: 1, -1, or 0.
void to_unit_halves(std::byte* code, const float* x, Count n, const Launch& launch);
/// 1 where it is above `least`, -1 where it is below -least, else 0.
void to_signs(float* x, Count n, float least, const Launch& launch);

/// The code of onebit.cpp: the means of the elements without and with a set sign bit, then the
/// bits. `scratch`: sum_scratch(n) bytes.
void to_means(std::byte* code, const float* x, Count n, std::byte* scratch, const Launch& launch);
void add_means(float* into, const std::byte* code, Count n, float weight, const Launch& launch);
/// The code of scaled_sign.cpp: the mean magnitude, then the sign bits.
void to_scaled_signs(std::byte* code, const float* x, Count n, std::byte* scratch,
                     const Launch& launch);
void add_scaled_signs(float* into, const std::byte* code, Count n, float weight,
                      const Launch& launch);
std::size_t sum_scratch(Count n);

void multiply(float* x, Count n, float factor, const Launch& launch);
void divide(float* x, Count n, float divisor, const Launch& launch);
/// Does into[i] += weight x[i].
void add_scaled(float* into, const float* x, Count n, float weight, const Launch& launch);
/// Replaces NaN and infinities by 0.
void drop_not_finite(float* x, Count n, const Launch& launch);

/// The extremes of the elements so far: -min, max, and the bits of the largest magnitude (above
/// those of infinity for a NaN). Start from zero.
struct Extents {
  float minus_min, max;
  std::uint32_t largest;
};
void extents(Extents* into, const float* x, Count n, const Launch& launch);
/// Computes clamp(round(x times) + zero, 0, 255), with ties to even.
void to_bytes(std::byte* code, const float* x, Count n, float times, float zero,
              const Launch& launch);
/// Does into[i] += scale (code - zero).
void add_bytes(float* into, const std::byte* code, Count n, float scale, float zero,
               const Launch& launch);

/// The code of int8.cpp: step and zero point of each bucket as floats, then the bytes. A bucket
/// with a NaN or infinity has the step NaN.
void to_buckets(std::byte* code, const float* x, Count n, Count bucket, const Launch& launch);
/// Does into[i] += weight step (code - zero).
void add_buckets(float* into, const std::byte* code, Count n, Count bucket, float weight,
                 const Launch& launch);

/// Packs n codes of `bits` (1 to 8) bits each, the first one lowest, into (n bits + 7) / 8 bytes;
/// unpack() is the inverse.
void pack(std::byte* packed, const std::uint8_t* codes, Count n, int bits, const Launch& launch);
void unpack(std::uint8_t* codes, const std::byte* packed, Count n, int bits, const Launch& launch);

/// Counts magnitudes by their bits without the lower `shift` (20 to 30) bits, and adds the counts
/// to the 2^(31 - shift) bins.
void histogram(std::uint32_t* bins, int shift, const float* x, Count n, const Launch& launch);

/// Writes the positions of magnitudes whose bits are at least `min`, in order, and their number to
/// `found`. x has up to 2^32 elements; `at` must have room for all positions.
void select(std::uint32_t* at, std::uint32_t* found, const float* x, Count n, std::uint32_t min,
            std::byte* scratch, const Launch& launch);
inline constexpr std::size_t kSelectScratch = 4096;  ///< bytes

}  // namespace arlab::training::cuda
