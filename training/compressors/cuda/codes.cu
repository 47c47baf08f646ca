#include "collectives/cuda/each.cuh"
#include "training/compressors/cuda/codes.hpp"

namespace arlab::training::cuda {

using namespace collectives::cuda;
namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr std::uint32_t kMagnitude = 0x7fffffffu, kInfinity = 0x7f800000u, kNan = 0x7fc00000u;
constexpr float kLeastNormal = 0x1p-126f;

__device__ std::uint32_t magnitude(float x) { return __float_as_uint(x) & kMagnitude; }

// The vote of a warp gives its 32 sign bits.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    votes(std::uint8_t* bits, const float* x, Count n) {
  const Count all = (n + kWarp - 1) / kWarp * kWarp;  // whole warps: all lanes vote
  for (Count i = thread_index(); i < all; i += thread_count()) {
    const bool negative = i < n && (__float_as_uint(x[i]) >> 31) != 0;
    const unsigned vote = __ballot_sync(kAllLanes, negative);
    const Count lane = i % kWarp, byte = i / kWarp * 4 + lane;
    if (lane < 4 && byte < (n + 7) / 8) bits[byte] = static_cast<std::uint8_t>(vote >> (8 * lane));
  }
}

/// Returns the largest value of the warp, in lane 0.
__device__ std::uint32_t largest_of_warp(std::uint32_t x) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    x = max(x, __shfl_down_sync(kAllLanes, x, offset));
  return x;
}

// Nonnegative floats compare as their bits.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    measure(std::uint32_t* into, const float* x, Count n) {
  float min = 0, max = 0;
  std::uint32_t largest = 0;
  for (Count i = thread_index(); i < n; i += thread_count()) {
    const float v = x[i];
    min = v < min ? v : min;
    max = v > max ? v : max;
    largest = magnitude(v) > largest ? magnitude(v) : largest;
  }
  const std::uint32_t values[3] = {magnitude(min), magnitude(max), largest};
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t all = largest_of_warp(values[k]);
    if (threadIdx.x % kWarp == 0) atomicMax(into + k, all);
  }
}

/// Rounds to a byte, with ties to even.
__device__ std::uint8_t byte_of(float x, float times, float zero) {
  constexpr float kRound = 0x1.8p23f;  // adding it rounds to an integer, ties to even
  float q = __fadd_rn(__fadd_rn(__fadd_rn(__fmul_rn(x, times), kRound), -kRound), zero);
  q = q > 0 ? q : 0;
  q = q < 255 ? q : 255;
  return static_cast<std::uint8_t>(static_cast<int>(q));
}

__device__ float times_of(float step) { return step > 0 ? __fdiv_rn(1, step) : 0; }

/// The step and the zero point of a bucket; `below` and `above`: bits of -min and max.
__device__ void set_header(float* header, std::uint32_t below, std::uint32_t above, bool finite) {
  const float min = below == 0 ? 0.0f : -__uint_as_float(below), max = __uint_as_float(above);
  auto step = static_cast<float>((static_cast<double>(max) - static_cast<double>(min)) / 255);
  if (step < kLeastNormal) step = 0;
  header[0] = finite ? step : __uint_as_float(kNan);
  header[1] = rintf(__fmul_rn(-min, times_of(header[0])));
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    encode_buckets(float* headers, std::uint8_t* bytes, const float* x, Count n, Count bucket) {
  const Count lane = thread_index() % kWarp, warps = thread_count() / kWarp;
  const Count count = (n + bucket - 1) / bucket;
  for (Count b = thread_index() / kWarp; b < count; b += warps) {
    const Count begin = b * bucket, end = n - begin < bucket ? n : begin + bucket;
    float min = 0, max = 0;
    std::uint32_t largest = 0;
    for (Count i = begin + lane; i < end; i += kWarp) {
      const float v = x[i];
      min = v < min ? v : min;
      max = v > max ? v : max;
      largest = magnitude(v) > largest ? magnitude(v) : largest;
    }
    const std::uint32_t below = largest_of_warp(magnitude(min));
    const std::uint32_t above = largest_of_warp(magnitude(max));
    largest = largest_of_warp(largest);
    if (lane == 0) set_header(headers + 2 * b, below, above, largest < kInfinity);
    __syncwarp();
    const float times = times_of(headers[2 * b]), zero = headers[2 * b + 1];
    for (Count i = begin + lane; i < end; i += kWarp) bytes[i] = byte_of(x[i], times, zero);
  }
}

constexpr int kMostBins = 1 << (31 - 20);  // see histogram()

// Counts in shared memory first, because most magnitudes of a gradient fall into few bins.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    count_bins(std::uint32_t* bins, int shift, const float* x, Count n) {
  __shared__ std::uint32_t mine[kMostBins];
  const unsigned count = 1u << (31 - shift);
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (Count i = thread_index(); i < n; i += thread_count())
    atomicAdd(mine + (magnitude(x[i]) >> shift), 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(bins + b, mine[b]);
}

// Selection processes one contiguous part per block: it counts the elements of each part, computes
// where each part begins, and then writes the positions.
constexpr unsigned kSelectBlocks = kSelectScratch / sizeof(std::uint32_t);

struct Part {
  Count begin, end;
};
__device__ Part part_of_block(Count n) {
  const Count a_block = (n + gridDim.x - 1) / gridDim.x;
  const Count begin = a_block * blockIdx.x;
  return {begin < n ? begin : n, begin + a_block < n ? begin + a_block : n};
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    count_part(std::uint32_t* counts, const float* x, Count n, std::uint32_t min) {
  __shared__ std::uint32_t all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  const Part part = part_of_block(n);
  std::uint32_t mine = 0;
  for (Count i = part.begin + threadIdx.x; i < part.end; i += blockDim.x)
    mine += magnitude(x[i]) >= min ? 1 : 0;
  if (mine != 0) atomicAdd(&all, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// One block: each thread adds the counts of a few neighboring parts, and all threads' sums are added
// up in ever larger steps.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    begins_of_parts(std::uint32_t* counts, unsigned parts, std::uint32_t* found) {
  constexpr unsigned kEach = kSelectBlocks / kThreads;
  __shared__ std::uint32_t sums[kThreads];
  const unsigned me = threadIdx.x, first = me * kEach;
  std::uint32_t own[kEach], all = 0;
  for (unsigned k = 0; k < kEach; ++k) {
    own[k] = first + k < parts ? counts[first + k] : 0;
    all += own[k];
  }
  sums[me] = all;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step *= 2) {
    const std::uint32_t before = me >= step ? sums[me - step] : 0;
    __syncthreads();
    sums[me] += before;
    __syncthreads();
  }
  std::uint32_t begin = sums[me] - all;
  for (unsigned k = 0; k < kEach && first + k < parts; ++k) {
    counts[first + k] = begin;
    begin += own[k];
  }
  if (me == kThreads - 1) *found = begin;
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    positions(std::uint32_t* at, const std::uint32_t* begins, const float* x, Count n,
              std::uint32_t min) {
  __shared__ std::uint32_t in_warp[kThreads / kWarp];
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const Part part = part_of_block(n);
  std::uint32_t begin = begins[blockIdx.x];
  for (Count first = part.begin; first < part.end; first += blockDim.x) {
    const Count i = first + threadIdx.x;
    const bool chosen = i < part.end && magnitude(x[i]) >= min;
    const unsigned vote = __ballot_sync(kAllLanes, chosen);
    if (lane == 0) in_warp[warp] = static_cast<std::uint32_t>(__popc(vote));
    __syncthreads();
    std::uint32_t before = 0, all = 0;
    for (unsigned w = 0; w < kThreads / kWarp; ++w) {
      before += w < warp ? in_warp[w] : 0;
      all += in_warp[w];
    }
    if (chosen)
      at[begin + before + static_cast<std::uint32_t>(__popc(vote & ((1u << lane) - 1)))] =
          static_cast<std::uint32_t>(i);
    begin += all;
    __syncthreads();
  }
}

}  // namespace

void to_halves(std::byte* code, const float* x, Count n, float divisor, const Launch& launch) {
  auto* const out = reinterpret_cast<__half*>(code);
  launch_for_each(n, launch,
                  [=] __device__(Count i) { out[i] = __float2half_rn(__fdiv_rn(x[i], divisor)); });
}

void add_halves(float* into, const std::byte* code, Count n, float weight, const Launch& launch) {
  const auto* const in = reinterpret_cast<const __half*>(code);
  launch_for_each(n, launch, [=] __device__(Count i) {
    into[i] = __fadd_rn(into[i], __fmul_rn(__half2float(in[i]), weight));
  });
}

void to_bfloats(std::byte* code, const float* x, Count n, const Launch& launch) {
  auto* const out = reinterpret_cast<__nv_bfloat16*>(code);
  launch_for_each(n, launch, [=] __device__(Count i) { out[i] = __float2bfloat16_rn(x[i]); });
}

void add_bfloats(float* into, const std::byte* code, Count n, float weight, const Launch& launch) {
  const auto* const in = reinterpret_cast<const __nv_bfloat16*>(code);
  launch_for_each(n, launch, [=] __device__(Count i) {
    into[i] = __fadd_rn(into[i], __fmul_rn(__bfloat162float(in[i]), weight));
  });
}

void pack_signs(std::byte* bits, const float* x, Count n, const Launch& launch) {
  if (n == 0) return;
  launch_threads(votes, n, launch, reinterpret_cast<std::uint8_t*>(bits), x, n);
}

void add_signs(float* into, const std::byte* bits, Count n, float clear, float set,
               const Launch& launch) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(bits);
  launch_for_each(n, launch, [=] __device__(Count i) {
    into[i] = __fadd_rn(into[i], (in[i / 8] >> (i % 8) & 1) != 0 ? set : clear);
  });
}

void extents(Extents* into, const float* x, Count n, const Launch& launch) {
  if (n == 0) return;
  launch_threads(measure, n, launch, reinterpret_cast<std::uint32_t*>(into), x, n);
}

void to_bytes(std::byte* code, const float* x, Count n, float times, float zero,
              const Launch& launch) {
  auto* const out = reinterpret_cast<std::uint8_t*>(code);
  launch_for_each(n, launch, [=] __device__(Count i) { out[i] = byte_of(x[i], times, zero); });
}

void add_bytes(float* into, const std::byte* code, Count n, float scale, float zero,
               const Launch& launch) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(code);
  launch_for_each(n, launch, [=] __device__(Count i) {
    into[i] = __fadd_rn(into[i], __fmul_rn(scale, __fsub_rn(static_cast<float>(in[i]), zero)));
  });
}

// A warp per bucket.
void to_buckets(std::byte* code, const float* x, Count n, Count bucket, const Launch& launch) {
  if (n == 0) return;
  const Count count = (n + bucket - 1) / bucket;
  launch_threads(encode_buckets, count * kWarp, launch, reinterpret_cast<float*>(code),
                 reinterpret_cast<std::uint8_t*>(code) + 8 * count, x, n, bucket);
}

void add_buckets(float* into, const std::byte* code, Count n, Count bucket, float weight,
                 const Launch& launch) {
  const Count count = (n + bucket - 1) / bucket;
  const auto* const headers = reinterpret_cast<const float*>(code);
  const auto* const in = reinterpret_cast<const std::uint8_t*>(code) + 8 * count;
  launch_for_each(n, launch, [=] __device__(Count i) {
    const float scale = __fmul_rn(weight, headers[2 * (i / bucket)]);
    const float zero = headers[2 * (i / bucket) + 1];
    into[i] = __fadd_rn(into[i], __fmul_rn(scale, __fsub_rn(static_cast<float>(in[i]), zero)));
  });
}

// Each thread packs eight codes, which take `bits` bytes.
void pack(std::byte* packed, const std::uint8_t* codes, Count n, int bits, const Launch& launch) {
  auto* const out = reinterpret_cast<std::uint8_t*>(packed);
  launch_for_each((n + 7) / 8, launch, [=] __device__(Count group) {
    std::uint64_t word = 0;
    for (int k = 0; k < 8 && 8 * group + k < n; ++k)
      word |= static_cast<std::uint64_t>(codes[8 * group + k]) << (k * bits);
    const Count bytes = (n * bits + 7) / 8;
    for (int k = 0; k < bits && group * bits + k < bytes; ++k)
      out[group * bits + k] = static_cast<std::uint8_t>(word >> (8 * k));
  });
}

void unpack(std::uint8_t* codes, const std::byte* packed, Count n, int bits, const Launch& launch) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(packed);
  launch_for_each((n + 7) / 8, launch, [=] __device__(Count group) {
    std::uint64_t word = 0;
    const Count bytes = (n * bits + 7) / 8;
    for (int k = 0; k < bits && group * bits + k < bytes; ++k)
      word |= static_cast<std::uint64_t>(in[group * bits + k]) << (8 * k);
    for (int k = 0; k < 8 && 8 * group + k < n; ++k)
      codes[8 * group + k] = static_cast<std::uint8_t>(word >> (k * bits) & ((1u << bits) - 1));
  });
}

void histogram(std::uint32_t* bins, int shift, const float* x, Count n, const Launch& launch) {
  if (n == 0) return;
  launch_threads(count_bins, n, launch, bins, shift, x, n);
}

void select(std::uint32_t* at, std::uint32_t* found, const float* x, Count n, std::uint32_t min,
            std::byte* scratch, const Launch& launch) {
  auto* const counts = reinterpret_cast<std::uint32_t*>(scratch);
  const unsigned wanted = blocks_for(n, launch);
  const unsigned blocks = wanted < kSelectBlocks ? wanted : kSelectBlocks;
  launch_blocks(count_part, blocks, launch, counts, x, n, min);
  launch_blocks(begins_of_parts, 1, launch, counts, blocks, found);
  launch_blocks(positions, blocks, launch, at, counts, x, n, min);
}

}  // namespace arlab::training::cuda
