// Elements of arrays whose types differ, several at a time: a thread loads and stores up to 16
// bytes at once where all arrays allow it, and single elements before and after, and elsewhere.
#pragma once

#include "collectives/cuda/packs.cuh"
#include "training/compressors/kernels/kernels.hpp"

namespace arlab::training::cuda {

using namespace collectives::cuda;
using collectives::Cut;

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr std::uint32_t kNan = 0x7fc00000u;

__device__ inline std::uint32_t magnitude(float x) { return __float_as_uint(x) & 0x7fffffffu; }

template <class T, int kElements>
inline constexpr int kGroupAlignment =
    kElements* static_cast<int>(sizeof(T)) < collectives::kPackBytes
        ? kElements* static_cast<int>(sizeof(T))
        : collectives::kPackBytes;

/// As many elements as a thread takes at once: loads and stores of 16 bytes, or of all if they have
/// less.
template <class T, int kElements>
struct alignas(kGroupAlignment<T, kElements>) Group {
  T at[kElements];
};

template <class T, int kElements>
ARLAB_ANYWHERE bool begins_group(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kGroupAlignment<T, kElements> == 0;
}

/// Cuts arrays into groups that begin on a boundary in all of them, with single elements before and
/// after. `first`: of the smallest elements. Where there is no such cut, all elements are head.
template <int kElements, class First, class... Others>
ARLAB_ANYWHERE Cut cut_groups(Count n, const First* first, const Others*... others) {
  constexpr Count kBytes = kGroupAlignment<First, kElements>;
  const auto off = static_cast<Count>(reinterpret_cast<std::uintptr_t>(first) % kBytes);
  const Count head = (kBytes - off) % kBytes / static_cast<Count>(sizeof(First));
  if (head >= n || !begins_group<First, kElements>(first + head) ||
      !(begins_group<Others, kElements>(others + head) && ...))
    return {n, 0, 0};
  return {head, (n - head) / kElements, (n - head) % kElements};
}

template <class T, int kElements>
__device__ const Group<T, kElements>& group_at(const T* data) {
  return *reinterpret_cast<const Group<T, kElements>*>(data);
}

/// Of one of many threads: into[i] = step(i, from[i]...); `into` may be one of them.
template <int kElements, class Into, class Step, class... From>
__device__ void map_groups_share(const Share& mine, Into* into, const Cut& cut, Step step,
                                 const From*... from) {
  const auto several = [&](Count first, const Group<From, kElements>&... loaded) {
    Group<Into, kElements> result;
#pragma unroll
    for (int e = 0; e < kElements; ++e) result.at[e] = step(first + e, loaded.at[e]...);
    *reinterpret_cast<Group<Into, kElements>*>(into + first) = result;
  };
  for (Count g = mine.me; g < cut.packs; g += mine.of) {
    const Count first = cut.head + g * kElements;
    several(first, group_at<From, kElements>(from + first)...);
  }
  for (Count k = mine.me; k < cut.head + cut.tail; k += mine.of) {
    const Count i = k < cut.head ? k : k + cut.packs * kElements;
    into[i] = step(i, from[i]...);
  }
}

template <int kElements, class Into, class Step, class... From>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    map_groups(Into* into, Cut cut, Step step, const From*... from) {
  map_groups_share<kElements>(grid_share(), into, cut, step, from...);
}

/// The same of all threads, of `n` elements.
template <int kElements, class Into, class Step, class... From>
void launch_map(Into* into, Count n, const Cut& cut, const Launch& launch, Step step,
                const From*... from) {
  if (n == 0) return;
  const Count singles = cut.head + cut.tail;
  launch_threads(map_groups<kElements, Into, Step, From...>,
                 singles > cut.packs ? singles : cut.packs, launch, into, cut, step, from...);
}

/// Calls use(x[i]) for the share of one of many threads, in any order.
template <class Use>
__device__ void each_of(const Share& mine, const float* x, Count n, Use use) {
  const Cut cut = collectives::cut(x, x, n, sizeof(float));
  collectives::for_my_share(
      mine.me, mine.of, cut, kPerPack<float>,
      [&]<int kPacks>(Count first) {
        const Loaded<float, kPacks> loaded(x + cut.head, first, mine.of);
#pragma unroll
        for (int k = 0; k < kPacks; ++k)
#pragma unroll
          for (int e = 0; e < kPerPack<float>; ++e) use(loaded.at[k].at[e]);
      },
      [&](Count i) { use(x[i]); });
}

}  // namespace arlab::training::cuda
