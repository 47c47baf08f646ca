#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/groups.cuh"

namespace arlab::training::cuda {
namespace {

constexpr int kLanes = 16;  // of a sum: half a warp

constexpr Count kVoted = Count{4} * kWarp;  // elements of a warp's turn

/// Which bit a 0 has: its own sign bit, or that of its position.
enum class Zeros : std::uint8_t { as_signed, set_at_even, set_at_odd };

__device__ std::uint32_t bit_of(float x, Count i, Zeros zeros) {
  if (zeros == Zeros::as_signed || magnitude(x) != 0) return __float_as_uint(x) >> 31;
  return static_cast<std::uint32_t>(i + (zeros == Zeros::set_at_even)) & 1;
}

// A lane has the signs of 4 elements, and 8 lanes those of a word. The last elements are voted on,
// one by each lane: the vote of a warp gives its 32 sign bits.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    votes(std::uint8_t* bits, const float* x, Count n, bool in_groups, Zeros zeros) {
  const Count lane = thread_index() % kWarp, turns = in_groups ? n / kVoted : 0;
  for (Count turn = thread_index() / kWarp; turn < turns; turn += thread_count() / kWarp) {
    const auto& mine = group_at<float, 4>(x + turn * kVoted + 4 * lane);
    std::uint32_t word = 0;
    for (int e = 0; e < 4; ++e) word |= bit_of(mine.at[e], e, zeros) << (4 * (lane % 8) + e);
    for (int step = 4; step > 0; step /= 2) word |= __shfl_down_sync(kAllLanes, word, step, 8);
    if (lane % 8 == 0) reinterpret_cast<std::uint32_t*>(bits)[turn * 4 + lane / 8] = word;
  }
  const Count all = (n + kWarp - 1) / kWarp * kWarp;  // whole warps: all lanes vote
  for (Count i = turns * kVoted + thread_index(); i < all; i += thread_count()) {
    const bool negative = i < n && bit_of(x[i], i, zeros) != 0;
    const unsigned vote = __ballot_sync(kAllLanes, negative);
    const Count byte = i / kWarp * 4 + lane;
    if (lane < 4 && byte < (n + 7) / 8) bits[byte] = static_cast<std::uint8_t>(vote >> (8 * lane));
  }
}

/// What a clear and a set bit stand for, as multiples of numbers in the device's memory if there
/// are any.
struct SignValues {
  float clear, set;
  const float *clear_unit = nullptr, *set_unit = nullptr;
};

// A thread adds the signs of a byte.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    add_votes(float* into, const std::uint8_t* bits, Count n, SignValues values, bool in_groups) {
  const float clear =
      values.clear_unit ? __fmul_rn(values.clear, *values.clear_unit) : values.clear;
  const float set = values.set_unit ? __fmul_rn(values.set, *values.set_unit) : values.set;
  const auto sum = [=](float x, unsigned bit) {
    return __fadd_rn(x, (bit & 1) != 0 ? set : clear);
  };
  const Count bytes = in_groups ? n / 8 : 0;
  for (Count b = thread_index(); b < bytes; b += thread_count()) {
    auto* const its = reinterpret_cast<Group<float, 8>*>(into) + b;
    const unsigned byte = bits[b];
    Group<float, 8> eight = *its;
    for (int e = 0; e < 8; ++e) eight.at[e] = sum(eight.at[e], byte >> e);
    *its = eight;
  }
  for (Count i = 8 * bytes + thread_index(); i < n; i += thread_count())
    into[i] = sum(into[i], static_cast<unsigned>(bits[i / 8]) >> (i % 8));
}

/// Returns the sum of each half of the warp, in its first lane, in the order of sums.inc.
template <class T>
__device__ T joined(T lane) {
  for (int width = kLanes / 2; width > 0; width /= 2)
    lane += __shfl_down_sync(kAllLanes, lane, width, kLanes);
  return lane;
}

/// The partial sums of a vector, in scratch memory: by block.
struct BlockSums {
  double* sums;  // of the elements, and of their magnitudes
  std::uint32_t* negatives;
  Count blocks;
};

Count sum_blocks(Count n) { return (n + kSumBlock - 1) / kSumBlock; }

BlockSums sums_in(std::byte* scratch, Count n) {
  const Count blocks = sum_blocks(n);
  auto* const sums = reinterpret_cast<double*>(scratch);
  return {sums, reinterpret_cast<std::uint32_t*>(sums + 2 * blocks), blocks};
}

// A warp adds a block: its first half the elements, its second half their magnitudes.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    add_blocks(BlockSums into, const float* x, Count n) {
  const Count lane = thread_index() % kWarp, warps = thread_count() / kWarp;
  const bool magnitudes = lane >= kLanes;
  for (Count b = thread_index() / kWarp; b < into.blocks; b += warps) {
    const Count end = n - b * kSumBlock < kSumBlock ? n : (b + 1) * kSumBlock;
    double sum = 0;
    std::uint32_t negatives = 0;
    for (Count i = b * kSumBlock + lane % kLanes; i < end; i += kLanes) {
      sum += static_cast<double>(magnitudes ? __uint_as_float(magnitude(x[i])) : x[i]);
      negatives += __float_as_uint(x[i]) >> 31;
    }
    sum = joined(sum);
    negatives = joined(negatives);
    if (lane % kLanes == 0) into.sums[2 * b + (magnitudes ? 1 : 0)] = sum;
    if (lane == 0) into.negatives[b] = negatives;
  }
}

/// What one warp makes of them, in lane 0.
struct Sums {
  double sum, magnitude;
  std::uint32_t negatives;
};

__device__ Sums sum_of(const BlockSums& of) {
  const Count lane = threadIdx.x % kWarp, half = lane / kLanes;
  double sum = 0;
  std::uint32_t negatives = 0;
  for (Count b = lane % kLanes; b < of.blocks; b += kLanes) {
    sum += of.sums[2 * b + half];
    negatives += of.negatives[b];
  }
  sum = joined(sum);
  return {sum, __shfl_down_sync(kAllLanes, sum, kLanes, kWarp), joined(negatives)};
}

__device__ bool is_finite(double x) { return x - x == 0; }

__device__ float mean(bool finite, double sum, Count count) {
  if (!finite) return __uint_as_float(kNan);
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.0f;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    set_means(float* means, BlockSums of, Count n) {
  if (thread_index() >= kWarp) return;
  const Sums all = sum_of(of);
  if (threadIdx.x > 0) return;
  const double clear = (all.magnitude + all.sum) / 2, set = (all.sum - all.magnitude) / 2;
  const bool finite = is_finite(clear) && is_finite(set);
  means[0] = mean(finite, clear, n - all.negatives);
  means[1] = mean(finite, set, all.negatives);
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    set_scale(float* scale, BlockSums of, Count n) {
  if (thread_index() >= kWarp) return;
  const Sums all = sum_of(of);
  if (threadIdx.x == 0) *scale = mean(is_finite(all.magnitude), all.magnitude, n);
}

BlockSums enqueue_sums(std::byte* scratch, const float* x, Count n, const Launch& launch) {
  const BlockSums sums = sums_in(scratch, n);
  if (n > 0) launch_threads(add_blocks, sums.blocks * kWarp, launch, sums, x, n);
  return sums;
}

void add_signs(float* into, const std::byte* bits, Count n, const SignValues& values,
               const Launch& launch) {
  if (n == 0) return;
  const bool in_groups = begins_group<float, 8>(into);
  launch_threads(add_votes, in_groups ? (n + 7) / 8 : n, launch, into,
                 reinterpret_cast<const std::uint8_t*>(bits), n, values, in_groups);
}

void pack_bits(std::byte* bits, const float* x, Count n, Zeros zeros, const Launch& launch) {
  if (n == 0) return;
  const bool in_groups = begins_group<float, 4>(x) && begins_group<std::byte, 4>(bits);
  const Count threads = in_groups && n >= kVoted ? n / 4 : n;
  launch_threads(votes, threads, launch, reinterpret_cast<std::uint8_t*>(bits), x, n, in_groups,
                 zeros);
}

}  // namespace

void pack_signs(std::byte* bits, const float* x, Count n, const Launch& launch) {
  pack_bits(bits, x, n, Zeros::as_signed, launch);
}

void pack_votes(std::byte* bits, const float* x, Count n, bool odd, const Launch& launch) {
  pack_bits(bits, x, n, odd ? Zeros::set_at_odd : Zeros::set_at_even, launch);
}

void add_signs(float* into, const std::byte* bits, Count n, float clear, float set,
               const Launch& launch) {
  add_signs(into, bits, n, {clear, set}, launch);
}

std::size_t sum_scratch(Count n) {
  return static_cast<std::size_t>(sum_blocks(n)) * (2 * sizeof(double) + sizeof(std::uint32_t));
}

void to_means(std::byte* code, const float* x, Count n, std::byte* scratch, const Launch& launch) {
  auto* const means = reinterpret_cast<float*>(code);
  launch_threads(set_means, kWarp, launch, means, enqueue_sums(scratch, x, n, launch), n);
  pack_signs(reinterpret_cast<std::byte*>(means + 2), x, n, launch);
}

void add_means(float* into, const std::byte* code, Count n, float weight, const Launch& launch) {
  const auto* const means = reinterpret_cast<const float*>(code);
  add_signs(into, reinterpret_cast<const std::byte*>(means + 2), n,
            {weight, weight, means, means + 1}, launch);
}

void to_scaled_signs(std::byte* code, const float* x, Count n, std::byte* scratch,
                     const Launch& launch) {
  auto* const scale = reinterpret_cast<float*>(code);
  launch_threads(set_scale, kWarp, launch, scale, enqueue_sums(scratch, x, n, launch), n);
  pack_signs(reinterpret_cast<std::byte*>(scale + 1), x, n, launch);
}

void add_scaled_signs(float* into, const std::byte* code, Count n, float weight,
                      const Launch& launch) {
  const auto* const scale = reinterpret_cast<const float*>(code);
  add_signs(into, reinterpret_cast<const std::byte*>(scale + 1), n, {weight, -weight, scale, scale},
            launch);
}

void to_unit_halves(std::byte* code, const float* x, Count n, const Launch& launch) {
  auto* const out = reinterpret_cast<__half*>(code);
  launch_map<8>(
      out, n, cut_groups<8>(n, out, x), launch,
      [=] __device__(Count, float v) {
        const float sign = (__float_as_uint(v) >> 31) != 0 ? -1.0f : 1.0f;
        return __float2half_rn(magnitude(v) == 0 ? 0.0f : sign);
      },
      x);
}

void to_signs(float* x, Count n, float least, const Launch& launch) {
  launch_map<4>(
      x, n, cut_groups<4>(n, x), launch,
      [=] __device__(Count, float v) {
        const float sign = v < 0 ? -1.0f : 1.0f;
        return v > least || v < -least ? sign : 0.0f;
      },
      static_cast<const float*>(x));
}

}  // namespace arlab::training::cuda
