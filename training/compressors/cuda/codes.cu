#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/groups.cuh"

namespace arlab::training::cuda {
namespace {

constexpr float kLeastNormal = 0x1p-126f;

/// Returns the largest value of the warp, in lane 0.
__device__ std::uint32_t largest_of_warp(std::uint32_t x) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    x = max(x, __shfl_down_sync(kAllLanes, x, offset));
  return x;
}

/// What a thread, and then a warp in lane 0, has seen of a vector.
struct Seen {
  float min = 0, max = 0;
  std::uint32_t largest = 0;

  __device__ void operator()(float v) {
    min = v < min ? v : min;
    max = v > max ? v : max;
    largest = magnitude(v) > largest ? magnitude(v) : largest;
  }
};

// Nonnegative floats compare as their bits.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    measure(std::uint32_t* into, const float* x, Count n) {
  Seen seen;
  each_of(grid_share(), x, n, [&](float v) { seen(v); });
  const std::uint32_t values[3] = {magnitude(seen.min), magnitude(seen.max), seen.largest};
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
    const Share mine{lane, kWarp};
    Seen seen;
    each_of(mine, x + begin, end - begin, [&](float v) { seen(v); });
    const std::uint32_t below = largest_of_warp(magnitude(seen.min));
    const std::uint32_t above = largest_of_warp(magnitude(seen.max));
    const std::uint32_t largest = largest_of_warp(seen.largest);
    if (lane == 0) set_header(headers + 2 * b, below, above, largest < kInfinity);
    __syncwarp();
    const float times = times_of(headers[2 * b]), zero = headers[2 * b + 1];
    const Cut cut = cut_groups<4>(end - begin, bytes + begin, x + begin);
    map_groups_share<4>(
        mine, bytes + begin, cut, [=](Count, float v) { return byte_of(v, times, zero); },
        x + begin);
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    add_bucket_bytes(float* into, const float* headers, const std::uint8_t* bytes, Count n,
                     Count bucket, float weight) {
  const Share mine{thread_index() % kWarp, kWarp};
  const Count warps = thread_count() / kWarp, count = (n + bucket - 1) / bucket;
  for (Count b = thread_index() / kWarp; b < count; b += warps) {
    const Count begin = b * bucket, size = n - begin < bucket ? n - begin : bucket;
    const float scale = __fmul_rn(weight, headers[2 * b]), zero = headers[2 * b + 1];
    float* const its = into + begin;
    const std::uint8_t* const code = bytes + begin;
    map_groups_share<4>(
        mine, its, cut_groups<4>(size, code, its),
        [=](Count, float x, std::uint8_t c) {
          return __fadd_rn(x, __fmul_rn(scale, __fsub_rn(static_cast<float>(c), zero)));
        },
        static_cast<const float*>(its), code);
  }
}

}  // namespace

void to_halves(std::byte* code, const float* x, Count n, float divisor, const Launch& launch) {
  auto* const out = reinterpret_cast<__half*>(code);
  launch_map<8>(
      out, n, cut_groups<8>(n, out, x), launch,
      [=] __device__(Count, float v) { return __float2half_rn(__fdiv_rn(v, divisor)); }, x);
}

void add_halves(float* into, const std::byte* code, Count n, float weight, const Launch& launch) {
  const auto* const in = reinterpret_cast<const __half*>(code);
  launch_map<8>(
      into, n, cut_groups<8>(n, in, into), launch,
      [=] __device__(Count, float v, __half c) {
        return __fadd_rn(v, __fmul_rn(__half2float(c), weight));
      },
      static_cast<const float*>(into), in);
}

void to_bfloats(std::byte* code, const float* x, Count n, const Launch& launch) {
  auto* const out = reinterpret_cast<__nv_bfloat16*>(code);
  launch_map<8>(
      out, n, cut_groups<8>(n, out, x), launch,
      [=] __device__(Count, float v) { return __float2bfloat16_rn(v); }, x);
}

void add_bfloats(float* into, const std::byte* code, Count n, float weight, const Launch& launch) {
  const auto* const in = reinterpret_cast<const __nv_bfloat16*>(code);
  launch_map<8>(
      into, n, cut_groups<8>(n, in, into), launch,
      [=] __device__(Count, float v, __nv_bfloat16 c) {
        return __fadd_rn(v, __fmul_rn(__bfloat162float(c), weight));
      },
      static_cast<const float*>(into), in);
}

void extents(Extents* into, const float* x, Count n, const Launch& launch) {
  if (n == 0) return;
  launch_threads(measure, (n + 3) / 4, launch, reinterpret_cast<std::uint32_t*>(into), x, n);
}

void to_bytes(std::byte* code, const float* x, Count n, float times, float zero,
              const Launch& launch) {
  auto* const out = reinterpret_cast<std::uint8_t*>(code);
  launch_map<16>(
      out, n, cut_groups<16>(n, out, x), launch,
      [=] __device__(Count, float v) { return byte_of(v, times, zero); }, x);
}

void add_bytes(float* into, const std::byte* code, Count n, float scale, float zero,
               const Launch& launch) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(code);
  launch_map<16>(
      into, n, cut_groups<16>(n, in, into), launch,
      [=] __device__(Count, float v, std::uint8_t c) {
        return __fadd_rn(v, __fmul_rn(scale, __fsub_rn(static_cast<float>(c), zero)));
      },
      static_cast<const float*>(into), in);
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
  if (n == 0) return;
  const Count count = (n + bucket - 1) / bucket;
  launch_threads(add_bucket_bytes, count * kWarp, launch, into,
                 reinterpret_cast<const float*>(code),
                 reinterpret_cast<const std::uint8_t*>(code) + 8 * count, n, bucket, weight);
}

}  // namespace arlab::training::cuda
