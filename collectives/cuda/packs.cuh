// 16 bytes of elements in registers, the element types of the device, and how kernels are launched.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "algorithms/base/error.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/kernels.hpp"
#include "collectives/gpu/vector16.hpp"
#include "collectives/reduce/float8.hpp"

namespace arlab::collectives::cuda {

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

/// Launches a kernel on `blocks` blocks of kThreads threads. A function, so that any compiler
/// parses it.
template <class... Parameters, class... Arguments>
void launch_blocks(void (*kernel)(Parameters...), unsigned blocks, const Launch& launch,
                   const Arguments&... arguments) {
  if (launch.loads_only) {
    cudaFuncAttributes attributes;
    return check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.stream = launch.stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "a kernel's launch");
}

/// The same, on as many blocks as that many threads need.
template <class... Parameters, class... Arguments>
void launch_threads(void (*kernel)(Parameters...), Count threads, const Launch& launch,
                    const Arguments&... arguments) {
  launch_blocks(kernel, blocks_for(threads, launch), launch, arguments...);
}

__device__ inline Count thread_index() {
  return static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline Count thread_count() { return static_cast<Count>(gridDim.x) * blockDim.x; }

/// The packs of one thread in one go: at[k] is pack `first` + k `stride`.
template <class T, int kPacks>
struct Loaded {
  __device__ Loaded(const T* from, Count first, Count stride) {
    const auto* const packs = reinterpret_cast<const Pack<T>*>(from);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) at[k] = packs[first + k * stride];
  }
  __device__ void store(T* into, Count first, Count stride) const {
    auto* const packs = reinterpret_cast<Pack<T>*>(into);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) packs[first + k * stride] = at[k];
  }
  Pack<T> at[kPacks];
};

/// The part of one of many threads.
struct Share {
  Count me = 0, of = 1;
};
__device__ inline Share grid_share() { return {thread_index(), thread_count()}; }

/// into[i] = step(from[i]...); `into` may be one of them. All loads of a group are in progress
/// before its first store.
template <class T, class Step, class... From>
__device__ void map_share(const Share& mine, T* into, const Cut& cut, Step step,
                          const From*... from) {
  const Count all = mine.of;
  const auto several = [&]<int kPacks>(Count i, const Loaded<From, kPacks>&... loaded) {
    auto* const into_packs = reinterpret_cast<Pack<T>*>(into + cut.head);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      Pack<T> result;
#pragma unroll
      for (int e = 0; e < kPerPack<T>; ++e) result.at[e] = step(loaded.at[k].at[e]...);
      into_packs[i + k * all] = result;
    }
  };
  for_my_share(
      mine.me, all, cut, kPerPack<T>,
      [&]<int kPacks>(Count i) {
        several.template operator()<kPacks>(i, Loaded<From, kPacks>(from + cut.head, i, all)...);
      },
      [&](Count i) { into[i] = step(from[i]...); });
}

// Small floats are computed in float and rounded once; those of 8 bits by the host's source.
__device__ inline float widen(__half x) { return __half2float(x); }
__device__ inline float widen(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline float widen(Float8E4m3 x) { return to_float(x); }
__device__ inline float widen(Float8E5m2 x) { return to_float(x); }
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
template <>
__device__ inline Float8E4m3 narrow<Float8E4m3, float>(float x) {
  return to_float8<Float8E4m3>(x);
}
template <>
__device__ inline Float8E5m2 narrow<Float8E5m2, float>(float x) {
  return to_float8<Float8E5m2>(x);
}

/// Calls `use(T{})` with the element type of `dtype`.
template <class Use>
void dispatch_dtype(DType dtype, Use use) {
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
    case DType::int8:
      return use(std::int8_t{});
    case DType::uint8:
      return use(std::uint8_t{});
    case DType::uint32:
      return use(std::uint32_t{});
    case DType::uint64:
      return use(std::uint64_t{});
    case DType::float8_e4m3:
      return use(Float8E4m3{});
    case DType::float8_e5m2:
      return use(Float8E5m2{});
    case DType::byte:
      break;
  }
  fail(Blame::check, "internal error, please report: arithmetic on bytes");
}

}  // namespace arlab::collectives::cuda
