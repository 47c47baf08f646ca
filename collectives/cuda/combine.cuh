// The arithmetic of kernels, as what one of many threads does of it: reductions and divisions.
//
// One source for the kernels of streams (kernels.cu) and for those that run a whole plan (peer.cu).
#pragma once

#include <type_traits>

#include "collectives/cuda/float8_words.cuh"
#include "collectives/cuda/packs.cuh"
#include "collectives/reduce/extremes.hpp"

namespace arlab::collectives::cuda {

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

/// A pack between two senders: as elements, small ones would take a register each.
struct alignas(kPackBytes) Words {
  std::uint32_t at[kPackBytes / 4];
};

/// A step on what numbers are computed in.
template <class T, class Step>
struct Widened {
  __device__ T operator()(T a, T b) const { return narrow<T>(Step{}(widen(a), widen(b))); }
};

/// T as in extremes.hpp, on its bits.
template <class T, bool kMin>
struct Extreme {
  using Bits = typename FloatBits<T>::Bits;
  __device__ Bits operator()(Bits a, Bits b) const { return extreme<T, kMin>(a, b); }
};

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

/// What a step does to the elements of a word at once; `exists` where that is faster.
template <class Step>
struct InWords {
  static constexpr bool exists = false;
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
template <class T, class Step>
requires(is_float8<T>) struct InWords<Widened<T, Step>> {
  static constexpr bool exists = true;
  static __device__ std::uint32_t step(std::uint32_t a, std::uint32_t b) {
    return float8_arithmetic<T, Step>(a, b);
  }
};
template <class T, bool kMin>
requires(is_float8<T>) struct InWords<Extreme<T, kMin>> {
  static constexpr bool exists = true;
  static __device__ std::uint32_t step(std::uint32_t a, std::uint32_t b) {
    return float8_extremes<T, kMin>(a, b);
  }
};
#endif

/// Adds all senders, of which `from(k)` is the k-th, to `into` in one pass over it.
template <class T, class Step, class From>
__device__ void combine_share(const Share& mine, T* into, From from, int senders, const Cut& cut) {
  const Count all = mine.of;
  for_my_share(
      mine.me, all, cut, kPerPack<T>,
      [&]<int kPacks>(Count i) {
        auto* const sums = reinterpret_cast<Words*>(into + cut.head);
        Loaded<Words, kPacks> sum(sums, i, all);
        for (int sender = 0; sender < senders; ++sender) {
          const auto* const packs = reinterpret_cast<const Words*>(from(sender) + cut.head);
          const Loaded<Words, kPacks> next(packs, i, all);
#pragma unroll
          for (int k = 0; k < kPacks; ++k) {
            if constexpr (InWords<Step>::exists) {
#pragma unroll
              for (int w = 0; w < kPackBytes / 4; ++w)
                sum.at[k].at[0].at[w] =
                    InWords<Step>::step(sum.at[k].at[0].at[w], next.at[k].at[0].at[w]);
            } else {
              auto its = __builtin_bit_cast(Pack<T>, sum.at[k]);
              const auto other = __builtin_bit_cast(Pack<T>, next.at[k]);
#pragma unroll
              for (int e = 0; e < kPerPack<T>; ++e) its.at[e] = Step{}(its.at[e], other.at[e]);
              sum.at[k] = __builtin_bit_cast(Pack<Words>, its);
            }
          }
        }
        sum.store(sums, i, all);
      },
      [&](Count i) {
        T sum = into[i];
        for (int sender = 0; sender < senders; ++sender) sum = Step{}(sum, from(sender)[i]);
        into[i] = sum;
      });
}

/// What numbers of a type are divided in: integers of one byte in one that holds any divisor.
template <class T>
using DividedIn = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 1, std::int32_t,
                                     std::conditional_t<sizeof(T) <= 2, float, T>>;

template <class T>
__device__ void divide_share(const Share& mine, T* data, DividedIn<T> divisor, const Cut& cut) {
  const auto step = [divisor](T x) {
    return narrow<T>(static_cast<DividedIn<T>>(widen(x) / divisor));
  };
  map_share(mine, data, cut, step, data);
}

/// Calls `use.operator()<T, Step>()`: a reduction is Step on elements of T.
template <class Use>
void dispatch_step(Operand operand, Use use) {
  dispatch_dtype(operand.dtype, [&]<class T>(T) {
    const auto extremes = [&]<bool kMin>() {
      if constexpr (std::is_integral_v<T>) {
        use.template operator()<T, Widened<T, std::conditional_t<kMin, Min, Max>>>();
      } else {
        using Host = typename HostFloat<T>::Type;
        use.template operator()<typename FloatBits<Host>::Bits, Extreme<Host, kMin>>();
      }
    };
    switch (operand.op) {
      case Op::sum:
      case Op::avg:
        return use.template operator()<T, Widened<T, Sum>>();
      case Op::prod:
        return use.template operator()<T, Widened<T, Prod>>();
      case Op::min:
        return extremes.template operator()<true>();
      case Op::max:
        return extremes.template operator()<false>();
    }
  });
}

}  // namespace arlab::collectives::cuda
