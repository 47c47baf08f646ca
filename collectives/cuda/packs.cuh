// 16 bytes of elements in registers, and the element types of the device.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "algorithms/error.hpp"
#include "collectives/cuda/kernels.hpp"
#include "collectives/packs.hpp"

namespace arlab::cuda {

inline constexpr int kThreads = 512;

template <class T>
inline constexpr int kPerPack = kPackBytes / static_cast<int>(sizeof(T));

template <class T>
struct alignas(kPackBytes) Pack {
  T at[kPerPack<T>];
};

/// As few blocks as have something to do, at most those that fill the device.
inline unsigned blocks_for(Count threads, const Launch& launch) {
  const Count blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > launch.blocks ? launch.blocks : blocks);
}

__device__ inline Count thread_index() {
  return static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline Count thread_count() { return static_cast<Count>(gridDim.x) * blockDim.x; }

/// into[i] = step(into[i], from[i]), or step(into[i]) where `step` takes one. All loads of a group
/// are under way before its first store.
template <class T, class Step>
__device__ void update(T* into, const T* from, const Cut& cut, Step step) {
  auto* const into_packs = reinterpret_cast<Pack<T>*>(into + cut.head);
  const auto* const from_packs = reinterpret_cast<const Pack<T>*>(from + cut.head);
  const Count all = thread_count();
  for_my_share(
      thread_index(), all, cut, kPerPack<T>,
      [&]<int kPacks>(Count i) {
        Pack<T> a[kPacks], b[kPacks];
#pragma unroll
        for (int k = 0; k < kPacks; ++k) {
          a[k] = into_packs[i + k * all];
          b[k] = from_packs[i + k * all];
        }
#pragma unroll
        for (int k = 0; k < kPacks; ++k) {
#pragma unroll
          for (int e = 0; e < kPerPack<T>; ++e) a[k].at[e] = step(a[k].at[e], b[k].at[e]);
          into_packs[i + k * all] = a[k];
        }
      },
      [&](Count i) { into[i] = step(into[i], from[i]); });
}

/// into[i] = step(from[i]); the two may be the same.
template <class T, class Step>
__device__ void map(T* into, const T* from, const Cut& cut, Step step) {
  auto* const into_packs = reinterpret_cast<Pack<T>*>(into + cut.head);
  const auto* const from_packs = reinterpret_cast<const Pack<T>*>(from + cut.head);
  const Count all = thread_count();
  for_my_share(
      thread_index(), all, cut, kPerPack<T>,
      [&]<int kPacks>(Count i) {
        Pack<T> a[kPacks];
#pragma unroll
        for (int k = 0; k < kPacks; ++k) a[k] = from_packs[i + k * all];
#pragma unroll
        for (int k = 0; k < kPacks; ++k) {
#pragma unroll
          for (int e = 0; e < kPerPack<T>; ++e) a[k].at[e] = step(a[k].at[e]);
          into_packs[i + k * all] = a[k];
        }
      },
      [&](Count i) { into[i] = step(from[i]); });
}

// Half types are computed in float and rounded once.
__device__ inline float widen(__half x) { return __half2float(x); }
__device__ inline float widen(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T>
__device__ T widen(T x) {
  return x;
}

template <class T, class Wide>
__device__ T narrow(Wide x) {
  return static_cast<T>(x);
}
template <>
__device__ inline __half narrow<__half, float>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 narrow<__nv_bfloat16, float>(float x) {
  return __float2bfloat16_rn(x);
}

/// Calls `use(T{})` with the element type of `dtype`.
template <class Use>
void typed(DType dtype, Use use) {
  switch (dtype) {
    case DType::float32:
      return use(float{});
    case DType::float64:
      return use(double{});
    case DType::float16:
      return use(__half{});
    case DType::bfloat16:
      return use(__nv_bfloat16{});
    case DType::int32:
      return use(std::int32_t{});
    case DType::int64:
      return use(std::int64_t{});
    case DType::byte:
      fail(Blame::check, "internal error, please report: an element type without arithmetic");
  }
}

}  // namespace arlab::cuda
