// Compression on a GPU: casts, sign bits, bytes, packed codes, and what top-k needs.
//
// The same functions as the compressors' kernels on the CPU (training/compressors/kernels/kernels.hpp), and
// the same bits: nothing is contracted, and what is selected is in order. All memory is the
// device's, aligned to 16 bytes; sums into bins, counts and extents start from what is there.
#pragma once

#include <cstdint>

#include "collectives/cuda/kernels.hpp"

namespace arlab::training::cuda {

using collectives::cuda::Launch;

void to_halves(std::byte* code, const float* x, Count n, float divisor, const Launch& launch);
void add_halves(float* into, const std::byte* code, Count n, float weight, const Launch& launch);
void to_bfloats(std::byte* code, const float* x, Count n, const Launch& launch);
void add_bfloats(float* into, const std::byte* code, Count n, float weight, const Launch& launch);

/// Sign bits, eight a byte, the first lowest; bits beyond n are clear.
void pack_signs(std::byte* bits, const float* x, Count n, const Launch& launch);
/// into[i] += the bit ? set : clear.
void add_signs(float* into, const std::byte* bits, Count n, float clear, float set,
               const Launch& launch);

/// Of the elements and what is there: -least, most, and the largest magnitude by its bits (above
/// those of infinity for a NaN). Start from zero.
struct Extents {
  float minus_least, most;
  std::uint32_t largest;
};
void extents(Extents* into, const float* x, Count n, const Launch& launch);
/// clamp(round(x times) + zero, 0, 255), ties to even.
void to_bytes(std::byte* code, const float* x, Count n, float times, float zero,
              const Launch& launch);
/// into[i] += scale (code - zero).
void add_bytes(float* into, const std::byte* code, Count n, float scale, float zero,
               const Launch& launch);

/// n codes of `bits` (1 to 8) bits each, the first lowest, in (n bits + 7) / 8 bytes, and back.
void pack(std::byte* packed, const std::uint8_t* codes, Count n, int bits, const Launch& launch);
void unpack(std::uint8_t* codes, const std::byte* packed, Count n, int bits, const Launch& launch);

/// Adds how many magnitudes, by their bits without the lower `shift` (20 to 30), fall into each of
/// the 2^(31 - shift) bins.
void histogram(std::uint32_t* bins, int shift, const float* x, Count n, const Launch& launch);

/// The positions of magnitudes whose bits are at least `least`, in order, of up to 2^32 elements,
/// and their number at `found`. `at` has room for all that there are.
void select(std::uint32_t* at, std::uint32_t* found, const float* x, Count n, std::uint32_t least,
            std::byte* scratch, const Launch& launch);
inline constexpr std::size_t kSelectScratch = 4096;  ///< bytes

}  // namespace arlab::training::cuda
