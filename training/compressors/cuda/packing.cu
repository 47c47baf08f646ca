#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/groups.cuh"

namespace arlab::training::cuda {
namespace {

constexpr int kPacked = 16;  // codes of a thread's turn

/// 8 codes as a word, and back.
__device__ std::uint64_t word_of(const std::uint8_t* codes, int bits) {
  std::uint64_t word = 0;
  for (int k = 0; k < 8; ++k) word |= static_cast<std::uint64_t>(codes[k]) << (k * bits);
  return word;
}
__device__ void codes_of(std::uint64_t word, int bits, std::uint8_t* codes) {
  for (int k = 0; k < 8; ++k)
    codes[k] = static_cast<std::uint8_t>(word >> (k * bits) & ((1u << bits) - 1));
}

// 16 codes are 2 words of `bits` bytes. The last ones, and those off a boundary, go 8 by 8.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    pack_codes(std::uint8_t* out, const std::uint8_t* codes, Count n, int bits, bool in_groups) {
  const Count groups = in_groups ? n / kPacked : 0;
  for (Count g = thread_index(); g < groups; g += thread_count()) {
    const Group<std::uint8_t, kPacked> its = group_at<std::uint8_t, kPacked>(codes + g * kPacked);
    const std::uint64_t words[2] = {word_of(its.at, bits), word_of(its.at + 8, bits)};
    auto* const into = reinterpret_cast<std::uint16_t*>(out + g * 2 * bits);
    const auto byte = [&](int k) {
      return static_cast<unsigned>(words[k / bits] >> (8 * (k % bits)) & 0xff);
    };
    for (int k = 0; k < bits; ++k)
      into[k] = static_cast<std::uint16_t>(byte(2 * k) | byte(2 * k + 1) << 8);
  }
  const Count bytes = (n * bits + 7) / 8;
  for (Count g = 2 * groups + thread_index(); 8 * g < n; g += thread_count()) {
    std::uint8_t its[8] = {};
    for (int k = 0; k < 8 && 8 * g + k < n; ++k) its[k] = codes[8 * g + k];
    const std::uint64_t word = word_of(its, bits);
    for (int k = 0; k < bits && g * bits + k < bytes; ++k)
      out[g * bits + k] = static_cast<std::uint8_t>(word >> (8 * k));
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    unpack_codes(std::uint8_t* codes, const std::uint8_t* in, Count n, int bits, bool in_groups) {
  const Count groups = in_groups ? n / kPacked : 0;
  for (Count g = thread_index(); g < groups; g += thread_count()) {
    const auto* const from = reinterpret_cast<const std::uint16_t*>(in + g * 2 * bits);
    std::uint64_t words[2] = {0, 0};
    for (int k = 0; k < 2 * bits; ++k)
      words[k / bits] |= static_cast<std::uint64_t>(from[k / 2] >> (8 * (k % 2)) & 0xff)
                         << (8 * (k % bits));
    Group<std::uint8_t, kPacked> its;
    codes_of(words[0], bits, its.at);
    codes_of(words[1], bits, its.at + 8);
    *reinterpret_cast<Group<std::uint8_t, kPacked>*>(codes + g * kPacked) = its;
  }
  const Count bytes = (n * bits + 7) / 8;
  for (Count g = 2 * groups + thread_index(); 8 * g < n; g += thread_count()) {
    std::uint64_t word = 0;
    for (int k = 0; k < bits && g * bits + k < bytes; ++k)
      word |= static_cast<std::uint64_t>(in[g * bits + k]) << (8 * k);
    std::uint8_t its[8];
    codes_of(word, bits, its);
    for (int k = 0; k < 8 && 8 * g + k < n; ++k) codes[8 * g + k] = its[k];
  }
}

/// Whether 16 codes, and the 2 `bits` bytes that hold them, can be moved as packs and pairs of
/// bytes.
bool packs_in_groups(const std::uint8_t* codes, const std::byte* packed) {
  return begins_group<std::uint8_t, kPacked>(codes) && begins_group<std::byte, 2>(packed);
}

}  // namespace

void pack(std::byte* packed, const std::uint8_t* codes, Count n, int bits, const Launch& launch) {
  if (n == 0) return;
  const bool in_groups = packs_in_groups(codes, packed);
  launch_threads(pack_codes, (n + 7) / (in_groups ? kPacked : 8) + 1, launch,
                 reinterpret_cast<std::uint8_t*>(packed), codes, n, bits, in_groups);
}

void unpack(std::uint8_t* codes, const std::byte* packed, Count n, int bits, const Launch& launch) {
  if (n == 0) return;
  const bool in_groups = packs_in_groups(codes, packed);
  launch_threads(unpack_codes, (n + 7) / (in_groups ? kPacked : 8) + 1, launch, codes,
                 reinterpret_cast<const std::uint8_t*>(packed), n, bits, in_groups);
}

}  // namespace arlab::training::cuda
