#include "collectives/copy/stream_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace arlab::collectives {

void stream_copy(std::byte* into, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t kLine = 64, kStore = sizeof(__m128i);
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(into) % kLine;
  const std::size_t head = behind == 0 ? 0 : std::min(bytes, kLine - behind);
  const std::size_t whole = (bytes - head) / kLine * kLine;
  std::memcpy(into, from, head);
  for (std::size_t i = head; i < head + whole; i += kStore)
    _mm_stream_si128(reinterpret_cast<__m128i*>(into + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();  // a release does not order streaming stores
  std::memcpy(into + head + whole, from + head + whole, bytes - head - whole);
#else
  std::memcpy(into, from, bytes);
#endif
}

}  // namespace arlab::collectives
