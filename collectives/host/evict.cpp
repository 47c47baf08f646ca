#include "collectives/host/evict.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <numeric>
#include <vector>
#endif

namespace arlab::collectives {

#if defined(__x86_64__)

void evict(std::span<const std::byte> memory) {
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < memory.size(); i += kLine) _mm_clflush(memory.data() + i);
  if (!memory.empty()) _mm_clflush(memory.data() + memory.size() - 1);
  _mm_mfence();
}

#else

void evict(std::span<const std::byte>) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // more than most last-level caches
  std::vector<unsigned char> other(kBytes, 1);
  volatile unsigned sink = std::accumulate(other.begin(), other.end(), 0U);
  static_cast<void>(sink);
}

#endif

}  // namespace arlab::collectives
