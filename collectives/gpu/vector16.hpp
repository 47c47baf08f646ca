// Packs: memory cut into 16-byte packs of elements, and the loop of one of many threads over them.
//
// GPUs move memory fastest 16 bytes at a time and thread. The few elements before the first 16-byte
// boundary and after the last go one by one. Written apart from CUDA, so that it is tested
// anywhere.
#pragma once

#include <cstdint>

#include "algorithms/problem.hpp"

#if defined(__CUDACC__)
#define ARLAB_ANYWHERE __host__ __device__
#else
#define ARLAB_ANYWHERE
#endif

namespace arlab::collectives {

inline constexpr int kPackBytes = 16;
inline constexpr int kUnrolled = 4;  ///< packs that a thread has in progress at once

/// Elements one by one before the first pack, packs, elements after the last.
struct Cut {
  Count head = 0, packs = 0, tail = 0;
};

/// Cuts memory that two operands have; `b` may be `a` again. Where they are not equally far from a
/// boundary, all elements are head.
ARLAB_ANYWHERE inline Cut cut(const void* a, const void* b, Count elements, int element_bytes) {
  const auto off = reinterpret_cast<std::uintptr_t>(a) % kPackBytes;
  const auto bytes = static_cast<std::uintptr_t>(element_bytes);
  if (off != reinterpret_cast<std::uintptr_t>(b) % kPackBytes || off % bytes != 0)
    return {elements, 0, 0};
  const auto head = static_cast<Count>(off == 0 ? 0 : (kPackBytes - off) / bytes);
  if (head >= elements) return {elements, 0, 0};
  const Count per_pack = kPackBytes / element_bytes;
  return {head, (elements - head) / per_pack, (elements - head) % per_pack};
}

/// The threads that have something to do.
inline Count threads_for(const Cut& cut) {
  const Count groups = (cut.packs + kUnrolled - 1) / kUnrolled;
  const Count singles = cut.head > cut.tail ? cut.head : cut.tail;
  return groups > singles ? groups : singles;
}

/// What thread `me` of `all` does: `packs.operator()<k>(i)` for the k packs i, i + all, ..., and
/// `element(i)` for single elements. All threads together do everything once, in any order.
template <class Packs, class Element>
ARLAB_ANYWHERE void for_my_share(Count me, Count all, const Cut& cut, int per_pack, Packs packs,
                                 Element element) {
  Count i = me;
  for (; i + (kUnrolled - 1) * all < cut.packs; i += kUnrolled * all)
    packs.template operator()<kUnrolled>(i);
  for (; i < cut.packs; i += all) packs.template operator()<1>(i);
  for (Count k = me; k < cut.head; k += all) element(k);
  for (Count k = me; k < cut.tail; k += all) element(cut.head + cut.packs * per_pack + k);
}

}  // namespace arlab::collectives
