#include "collectives/cuda/each.cuh"
#include "training/compressors/cuda/stochastic_rounding.hpp"

namespace arlab::training::cuda {

using namespace collectives::cuda;
namespace {

#include "training/compressors/kernels/stochastic_rounding.inc"

constexpr int kLanes = 16;  // as many as the CPU's sums have: half a warp
constexpr Count kDraws = 32;

// Half a warp sums a bucket and joins its lanes in the CPU's order.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    add_squares(double* into, const float* x, Count n, Count bucket) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned mine = 0xffffu << (threadIdx.x % 32 / kLanes * kLanes);
  const Count buckets = (n + bucket - 1) / bucket;
  for (Count b = thread_index() / kLanes; b < buckets; b += thread_count() / kLanes) {
    const Count begin = b * bucket, left = n - begin, size = bucket < left ? bucket : left;
    double sum = 0;
    for (Count i = lane; i < size; i += kLanes) {
      const double v = x[begin + i];
      sum = __dadd_rn(sum, __dmul_rn(v, v));
    }
    for (int width = kLanes / 2; width > 0; width /= 2)
      sum = __dadd_rn(sum, __shfl_down_sync(mine, sum, width, kLanes));
    if (lane == 0) into[b] = sum;
  }
}

// Calls use(i, word) for all elements. Two elements share a draw: element i has the lower half, and
// element i + 32 the upper half.
template <class Use>
void for_each_word(Count n, std::uint64_t key, const Launch& launch, Use use) {
  launch_for_each((n + 2 * kDraws - 1) / (2 * kDraws) * kDraws, launch, [=] __device__(Count d) {
    const std::uint64_t draw = draw_of(static_cast<std::uint64_t>(d), key);
    const Count first = d / kDraws * (2 * kDraws) + d % kDraws, second = first + kDraws;
    if (first < n) use(first, static_cast<std::uint32_t>(draw));
    if (second < n) use(second, static_cast<std::uint32_t>(draw >> 32));
  });
}

struct ToLevels {
  std::uint8_t* codes;
  const float* x;
  const float* times;
  Count bucket;
  int levels;
  __device__ void operator()(Count i, std::uint32_t word) const {
    codes[i] = level_of(x[i], word, times[i / bucket], levels);
  }
};

struct RoundToPowersOfTwo {
  std::uint8_t* code;
  const float* x;
  __device__ void operator()(Count i, std::uint32_t word) const { code[i] = power_of(x[i], word); }
};

}  // namespace

void square_sums(double* into, const float* x, Count n, Count bucket, const Launch& launch) {
  if (n == 0) return;
  const Count threads = (n + bucket - 1) / bucket * kLanes;
  launch_threads(add_squares, threads, launch, into, x, n, bucket);
}

void to_levels(std::uint8_t* codes, const float* x, Count n, const float* times, Count bucket,
               std::uint64_t key, int levels, const Launch& launch) {
  for_each_word(n, key, launch, ToLevels{codes, x, times, bucket, levels});
}

void round_to_powers_of_two(std::byte* code, const float* x, Count n, std::uint64_t key,
                            const Launch& launch) {
  for_each_word(n, key, launch, RoundToPowersOfTwo{reinterpret_cast<std::uint8_t*>(code), x});
}

}  // namespace arlab::training::cuda
