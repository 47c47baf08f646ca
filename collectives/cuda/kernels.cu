#include <type_traits>

#include "collectives/cuda/packs.cuh"
#include "collectives/reduce/extremes.hpp"

namespace arlab::collectives::cuda {
namespace {

// Integers are computed unsigned, where overflow is defined.
struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};
struct Prod {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};
// Of integers; floating-point numbers need extreme().
struct Min {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <class T, class Step>
__global__ void __launch_bounds__(kThreads) combine(T* into, const T* from, Cut cut) {
  const auto step = [](T a, T b) { return narrow<T>(Step{}(widen(a), widen(b))); };
  map(into, cut, step, into, from);
}

// T as in extremes.hpp, on its bits.
template <class T, bool kMin>
__global__ void __launch_bounds__(kThreads)
    take_extremes(typename FloatBits<T>::Bits* into, const typename FloatBits<T>::Bits* from,
                  Cut cut) {
  using Bits = typename FloatBits<T>::Bits;
  const auto step = [](Bits a, Bits b) { return extreme<T, kMin>(a, b); };
  map(into, cut, step, into, from);
}

template <class T, class Wide>
__global__ void __launch_bounds__(kThreads) divide(T* data, Wide divisor, Cut cut) {
  const auto step = [divisor](T x) { return narrow<T>(static_cast<Wide>(widen(x) / divisor)); };
  map(data, cut, step, data);
}

template <class T>
__global__ void __launch_bounds__(kThreads) move(T* into, const T* from, Cut cut) {
  const auto step = [](T x) { return x; };
  map(into, cut, step, from);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    compare(unsigned long long* counter, const T* a, const T* b, Count elements) {
  unsigned long long different = 0;
  for (Count i = thread_index(); i < elements; i += thread_count())
    different += widen(a[i]) == widen(b[i]) ? 0 : 1;
  if (different != 0) atomicAdd(counter, different);
}

template <class T, class Step>
void combine_with(std::byte* into, const std::byte* from, Count elements, const Launch& launch) {
  const Cut its = cut(into, from, elements, sizeof(T));
  launch_threads(combine<T, Step>, threads_for(its), launch, reinterpret_cast<T*>(into),
                 reinterpret_cast<const T*>(from), its);
}

// The type of extremes.hpp with the same bits.
template <class T>
struct HostFloat {
  using Type = T;
};
template <>
struct HostFloat<__half> {
  using Type = Float16;
};
template <>
struct HostFloat<__nv_bfloat16> {
  using Type = Bfloat16;
};

template <class T, bool kMin>
void extremes_with(std::byte* into, const std::byte* from, Count elements, const Launch& launch) {
  if constexpr (std::is_integral_v<T>) {
    combine_with<T, std::conditional_t<kMin, Min, Max>>(into, from, elements, launch);
  } else {
    using Host = typename HostFloat<T>::Type;
    using Bits = typename FloatBits<Host>::Bits;
    const Cut its = cut(into, from, elements, sizeof(T));
    launch_threads(take_extremes<Host, kMin>, threads_for(its), launch,
                   reinterpret_cast<Bits*>(into), reinterpret_cast<const Bits*>(from), its);
  }
}

}  // namespace

bool fits_device() {
  cudaFuncAttributes attributes;
  const bool fits = cudaFuncGetAttributes(&attributes, move<std::uint8_t>) == cudaSuccess;
  if (!fits) cudaGetLastError();  // it was expected: leave none behind
  return fits;
}

void copy(std::byte* into, const std::byte* from, std::size_t bytes, const Launch& launch) {
  if (bytes == 0) return;
  const Cut its = cut(into, from, static_cast<Count>(bytes), 1);
  launch_threads(move<std::uint8_t>, threads_for(its), launch,
                 reinterpret_cast<std::uint8_t*>(into), reinterpret_cast<const std::uint8_t*>(from),
                 its);
}

void reduce(std::byte* into, const std::byte* from, Count elements, Operand operand,
            const Launch& launch) {
  if (elements == 0) return;
  dispatch_dtype(operand.dtype, [&]<class T>(T) {
    switch (operand.op) {
      case Op::sum:
      case Op::avg:
        return combine_with<T, Sum>(into, from, elements, launch);
      case Op::prod:
        return combine_with<T, Prod>(into, from, elements, launch);
      case Op::min:
        return extremes_with<T, true>(into, from, elements, launch);
      case Op::max:
        return extremes_with<T, false>(into, from, elements, launch);
    }
  });
}

void scale(std::byte* data, Count elements, DType dtype, double divisor, const Launch& launch) {
  if (elements == 0) return;
  dispatch_dtype(dtype, [&]<class T>(T) {
    using Integer = std::conditional_t<sizeof(T) == 1, std::int32_t, T>;  // holds any divisor
    using Wide = std::conditional_t<sizeof(T) == 2, float, Integer>;
    const Cut its = cut(data, data, elements, sizeof(T));
    launch_threads(divide<T, Wide>, threads_for(its), launch, reinterpret_cast<T*>(data),
                   static_cast<Wide>(divisor), its);
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
