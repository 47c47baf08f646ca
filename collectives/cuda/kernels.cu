#include <span>

#include "collectives/cuda/combine.cuh"

namespace arlab::collectives::cuda {
namespace {

/// The senders of one reduction, in their order.
template <class T>
struct Senders {
  static constexpr int kMost = 8;  ///< of one kernel
  const T* at[kMost];
  int count;
};

template <class T, class Step>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    combine(T* into, const __grid_constant__ Senders<T> from, Cut cut) {
  combine_share<T, Step>(
      grid_share(), into, [&](int k) { return from.at[k]; }, from.count, cut);
}

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    divide(T* data, DividedIn<T> divisor, Cut cut) {
  divide_share(grid_share(), data, divisor, cut);
}

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    move(T* into, const T* from, Cut cut) {
  const auto step = [](T x) { return x; };
  map_share(grid_share(), into, cut, step, from);
}

/// Single bytes before and after, and Ts between, where only such smaller units match at both ends.
template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    move_between(std::uint8_t* into, const std::uint8_t* from, Count head, Count units,
                 Count tail) {
  for (Count i = thread_index(); i < head; i += thread_count()) into[i] = from[i];
  for (Count i = thread_index(); i < units; i += thread_count())
    reinterpret_cast<T*>(into + head)[i] = reinterpret_cast<const T*>(from + head)[i];
  const Count after = head + units * static_cast<Count>(sizeof(T));
  for (Count i = thread_index(); i < tail; i += thread_count()) into[after + i] = from[after + i];
}

template <class T>
void copy_between(std::byte* into, const std::byte* from, Count bytes, const Launch& launch) {
  constexpr auto kUnit = static_cast<Count>(sizeof(T));
  const auto off = static_cast<Count>(reinterpret_cast<std::uintptr_t>(into) % sizeof(T));
  const Count before = off == 0 ? 0 : kUnit - off;
  const Count head = before < bytes ? before : bytes;
  const Count units = (bytes - head) / kUnit;
  launch_threads(move_between<T>, units > kUnit ? units : kUnit, launch,
                 reinterpret_cast<std::uint8_t*>(into), reinterpret_cast<const std::uint8_t*>(from),
                 head, units, bytes - head - units * kUnit);
}

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    compare(unsigned long long* counter, const T* a, const T* b, Count elements) {
  unsigned long long different = 0;
  for (Count i = thread_index(); i < elements; i += thread_count())
    different += widen(a[i]) == widen(b[i]) ? 0 : 1;
  if (different != 0) atomicAdd(counter, different);
}

/// The memory of one reduction.
struct Operands {
  std::byte* into;
  std::span<const std::byte* const> from;
  Count elements;
};

template <class T, class Step>
void combine_with(const Operands& its, const Launch& launch) {
  for (std::size_t done = 0; done < its.from.size(); done += Senders<T>::kMost) {
    Senders<T> senders{};
    Cut shared = cut(its.into, its.into, its.elements, sizeof(T));
    for (const std::byte* from : its.from.subspan(done)) {
      if (senders.count == Senders<T>::kMost) break;
      senders.at[senders.count++] = reinterpret_cast<const T*>(from);
      if (cut(its.into, from, its.elements, sizeof(T)).packs != shared.packs)
        shared = {its.elements, 0, 0};  // not all are equally far from a boundary
    }
    launch_threads(combine<T, Step>, threads_for(shared), launch, reinterpret_cast<T*>(its.into),
                   senders, shared);
  }
}

}  // namespace

bool fits_device() {
  cudaFuncAttributes attributes;
  const bool fits = cudaFuncGetAttributes(&attributes, move<std::uint8_t>) == cudaSuccess;
  if (!fits) cudaGetLastError();  // it was expected: leave none behind
  return fits;
}

// By launching each as if on memory: at addresses that select it.
void load_kernels() {
  const Launch load{.loads_only = true};
  std::byte* const none = nullptr;
  const std::byte* const senders[] = {nullptr};
  for (const std::uintptr_t apart : {0, 2, 4, 8})
    copy(none, reinterpret_cast<const std::byte*>(apart), 1, load);
  for (const DType dtype : kDTypes) {
    for (const Op op : kOps) reduce(none, senders, 1, {dtype, op}, load);
    scale(none, 1, dtype, 1, load);
    count_different(none, none, none, 1, dtype, load);
  }
}

void copy(std::byte* into, const std::byte* from, std::size_t bytes, const Launch& launch) {
  if (bytes == 0) return;
  const auto count = static_cast<Count>(bytes);
  // Both ends are equally far from a boundary of that number of bytes.
  const auto apart =
      reinterpret_cast<std::uintptr_t>(into) ^ reinterpret_cast<std::uintptr_t>(from);
  if (apart % kPackBytes != 0) {
    if (apart % 8 == 0) return copy_between<std::uint64_t>(into, from, count, launch);
    if (apart % 4 == 0) return copy_between<std::uint32_t>(into, from, count, launch);
    if (apart % 2 == 0) return copy_between<std::uint16_t>(into, from, count, launch);
  }
  const Cut its = cut(into, from, count, 1);
  launch_threads(move<std::uint8_t>, threads_for(its), launch,
                 reinterpret_cast<std::uint8_t*>(into), reinterpret_cast<const std::uint8_t*>(from),
                 its);
}

void reduce(std::byte* into, std::span<const std::byte* const> from, Count elements,
            Operand operand, const Launch& launch) {
  if (elements == 0) return;
  const Operands its{into, from, elements};
  dispatch_step(operand, [&]<class T, class Step>() { combine_with<T, Step>(its, launch); });
}

void scale(std::byte* data, Count elements, DType dtype, double divisor, const Launch& launch) {
  if (elements == 0) return;
  dispatch_dtype(dtype, [&]<class T>(T) {
    const Cut its = cut(data, data, elements, sizeof(T));
    launch_threads(divide<T>, threads_for(its), launch, reinterpret_cast<T*>(data),
                   static_cast<DividedIn<T>>(divisor), its);
  });
}

void count_different(std::byte* counter, const std::byte* a, const std::byte* b, Count elements,
                     DType dtype, const Launch& launch) {
  if (elements == 0) return;
  dispatch_dtype(dtype, [&]<class T>(T) {
    launch_threads(compare<T>, elements, launch, reinterpret_cast<unsigned long long*>(counter),
                   reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b), elements);
  });
}

}  // namespace arlab::collectives::cuda
