// Encode kernels: the inner loops of the compressors, compiled from one source (kernels.inc) for
// each instruction set and selected at run time. All sets give the same bits: all keep sums in the
// same sixteen lanes, and none contracts products with sums.
//
// Codes are unaligned bytes, because they come from the middle of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/base/random.hpp"
#include "algorithms/problem.hpp"

namespace arlab::training {

/// Magnitudes compare as their bits without the sign: 0 < subnormals < ... < infinity < NaN.
inline constexpr std::uint32_t kMagnitude = 0x7fffffffu;
inline constexpr std::uint32_t kInfinity = 0x7f800000u;

/// A histogram bin is the exponent and the three upper bits of the fraction.
inline constexpr int kBinShift = 20;
inline constexpr std::size_t kBins = std::size_t{1} << (31 - kBinShift);

/// Random words come in groups of 64: the lower halves of 32 draws, then their upper halves; see
/// random_word().
inline constexpr Count kRandomGroup = 64;

/// Sums of magnitudes and of signs are those of blocks of that number of elements, each in sixteen
/// lanes, which add up in sixteen lanes.
inline constexpr Count kSumBlock = 1024;

/// The sums of the elements by sign bit, and how many elements each sum has.
struct SignSums {
  double clear = 0, set = 0;
  Count negatives = 0;
};

struct Extent {
  float min = 0, max = 0;  ///< of the elements and 0
  bool finite = true;
};

struct EncodeKernels {
  std::string_view instructions;

  void (*to_halves)(std::byte* code, const float* x, Count n, float divisor);
  void (*add_halves)(float* into, const std::byte* code, Count n, float weight);
  void (*to_bfloats)(std::byte* code, const float* x, Count n);
  void (*add_bfloats)(float* into, const std::byte* code, Count n, float weight);

  /// Packs sign bits, eight per byte, the first one lowest; bits beyond n are clear.
  void (*pack_signs)(std::byte* bits, const float* x, Count n);
  /// The same, but of a 0 the bit is set at odd positions only, or at even ones.
  void (*pack_votes)(std::byte* bits, const float* x, Count n, bool odd);
  /// Does into[i] += (bit i ? set : clear).
  void (*add_signs)(float* into, const std::byte* bits, Count n, float clear, float set);
  SignSums (*sign_sums)(const float* x, Count n);

  double (*sum_of_magnitudes)(const float* x, Count n);
  double (*sum_of_squares)(const float* x, Count n);
  Extent (*extent)(const float* x, Count n);
  /// Returns the bits of the largest magnitude (above kInfinity for a NaN).
  std::uint32_t (*largest)(const float* x, Count n);

  float (*dot)(const float* x, const float* y, Count n);
  /// Does into[i] += weight x[i].
  void (*add_scaled)(float* into, const float* x, Count n, float weight);
  /// Replaces NaN and infinities by 0.
  void (*drop_not_finite)(float* x, Count n);

  /// Computes clamp(round(x times) + zero, 0, 255), with ties to even.
  void (*to_bytes)(std::byte* code, const float* x, Count n, float times, float zero);
  /// Does into[i] += scale (code - zero).
  void (*add_bytes)(float* into, const std::byte* code, Count n, float scale, float zero);

  /// Writes the random words of `groups` groups, from `first_group` on, for this key.
  void (*random)(std::uint32_t* words, Count first_group, Count groups, std::uint64_t key);
  /// Computes levels + sign(x) level. The level is |x| times, at most `levels`, rounded up with the
  /// probability of its fraction.
  void (*to_levels)(std::uint8_t* code, const float* x, const std::uint32_t* random, Count n,
                    float times, int levels);
  /// Writes the sign and the exponent, rounded up with the probability of the fraction;
  /// natural.cpp.
  void (*round_to_powers_of_two)(std::byte* code, const float* x, const std::uint32_t* random,
                                 Count n);
  /// Packs n codes of `bits` (1 to 8) bits each, the first one lowest, into (n bits + 7) / 8 bytes;
  /// unpack() is the inverse.
  void (*pack)(std::byte* packed, const std::uint8_t* codes, Count n, int bits);
  void (*unpack)(std::uint8_t* codes, const std::byte* packed, Count n, int bits);

  /// Adds the number of magnitudes in each of kBins bins.
  void (*histogram)(std::uint32_t* bins, const float* x, Count n);
  /// Returns the number of magnitudes of at least `min`.
  Count (*count)(const float* x, Count n, std::uint32_t min);
  /// Writes the positions of magnitudes of at least `min`, in order, and returns their number. `at`
  /// must have room for 16 more.
  Count (*select)(std::uint32_t* at, const float* x, Count n, std::uint32_t min);
};

/// Returns the kernels for this processor.
const EncodeKernels& encode_kernels();

const EncodeKernels& baseline_encode_kernels();
/// Returns nullptr if this build has none. The caller checks that the processor supports them.
const EncodeKernels* avx2_encode_kernels();
const EncodeKernels* avx512_encode_kernels();

/// Returns word i of EncodeKernels::random.
inline std::uint32_t random_word(Count i, const Random& random) {
  const Count group = i / kRandomGroup, within = i % kRandomGroup;
  const std::uint64_t draw =
      random(static_cast<std::uint64_t>(group * (kRandomGroup / 2) + within % 32));
  return static_cast<std::uint32_t>(within < 32 ? draw : draw >> 32);
}

}  // namespace arlab::training
