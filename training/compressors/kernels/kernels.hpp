// The inner loops of the compressors: one source (kernels.inc), compiled once per instruction set;
// the program chooses when it runs. All sets give the same bits: sums are kept in the same sixteen
// lanes everywhere, and nothing is contracted.
//
// Codes are bytes without alignment: they come out of the middle of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/base/random.hpp"
#include "algorithms/problem.hpp"

namespace arlab::training {

/// Magnitudes are compared by their bits without the sign: 0 < subnormals < ... < infinity < NaN.
inline constexpr std::uint32_t kMagnitude = 0x7fffffffu;
inline constexpr std::uint32_t kInfinity = 0x7f800000u;

/// A histogram bin is the exponent and the three upper bits of the fraction.
inline constexpr int kBinShift = 20;
inline constexpr std::size_t kBins = std::size_t{1} << (31 - kBinShift);

/// Random words come in groups: the lower halves of 32 draws, then their upper halves; see
/// random_word().
inline constexpr Count kRandomGroup = 64;

/// Sums over the elements by their sign bit, and how many have it.
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

  /// Sign bits, eight a byte, the first lowest; bits beyond n are clear.
  void (*pack_signs)(std::byte* bits, const float* x, Count n);
  /// into[i] += the bit ? set : clear.
  void (*add_signs)(float* into, const std::byte* bits, Count n, float clear, float set);
  SignSums (*sign_sums)(const float* x, Count n);

  double (*sum_of_magnitudes)(const float* x, Count n);
  double (*sum_of_squares)(const float* x, Count n);
  Extent (*extent)(const float* x, Count n);
  /// The largest magnitude's bits (above kInfinity for a NaN).
  std::uint32_t (*largest)(const float* x, Count n);

  float (*dot)(const float* x, const float* y, Count n);
  /// into[i] += weight x[i].
  void (*add_scaled)(float* into, const float* x, Count n, float weight);
  /// Sets what is NaN or infinite to 0.
  void (*drop_not_finite)(float* x, Count n);

  /// clamp(round(x times) + zero, 0, 255), ties to even.
  void (*to_bytes)(std::byte* code, const float* x, Count n, float times, float zero);
  /// into[i] += scale (code - zero).
  void (*add_bytes)(float* into, const std::byte* code, Count n, float scale, float zero);

  /// The words of so many groups, from one on, of the Random of this key.
  void (*random)(std::uint32_t* words, Count first_group, Count groups, std::uint64_t key);
  /// levels + sign(x) level, where the level is |x| times rounded up with the chance of its
  /// fraction, at most `levels`.
  void (*to_levels)(std::uint8_t* code, const float* x, const std::uint32_t* random, Count n,
                    float times, int levels);
  /// The sign, and the exponent rounded up with the chance of the fraction; see natural.cpp.
  void (*to_powers)(std::byte* code, const float* x, const std::uint32_t* random, Count n);
  /// n codes of `bits` (1 to 8) bits each, the first lowest, in (n bits + 7) / 8 bytes, and back.
  void (*pack)(std::byte* packed, const std::uint8_t* codes, Count n, int bits);
  void (*unpack)(std::uint8_t* codes, const std::byte* packed, Count n, int bits);

  /// Adds how many magnitudes fall into each of kBins bins.
  void (*histogram)(std::uint32_t* bins, const float* x, Count n);
  /// How many magnitudes are at least `least`.
  Count (*count)(const float* x, Count n, std::uint32_t min);
  /// The positions of magnitudes of at least `least`, in order, and how many; `at` must have room
  /// for 16 more.
  Count (*select)(std::uint32_t* at, const float* x, Count n, std::uint32_t min);
};

/// Those for this processor.
const EncodeKernels& encode_kernels();

const EncodeKernels& baseline_encode_kernels();
/// nullptr where this build has none. The caller checks that the processor has the instructions.
const EncodeKernels* avx2_encode_kernels();
const EncodeKernels* avx512_encode_kernels();

/// One word of EncodeKernels::random, by itself.
inline std::uint32_t random_word(Count i, const Random& random) {
  const Count group = i / kRandomGroup, within = i % kRandomGroup;
  const std::uint64_t draw =
      random(static_cast<std::uint64_t>(group * (kRandomGroup / 2) + within % 32));
  return static_cast<std::uint32_t>(within < 32 ? draw : draw >> 32);
}

}  // namespace arlab::training
