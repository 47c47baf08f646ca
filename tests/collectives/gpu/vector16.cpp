// The cut of memory into packs: together the threads do every element once, packs on boundaries
// only.
#include "collectives/gpu/vector16.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// How often each element is done, by `threads` threads; packs off a boundary count as 100.
std::vector<int> times_done(const std::byte* memory, Count elements, int element_bytes,
                            Count threads, const Cut& cut) {
  std::vector<int> times(static_cast<std::size_t>(elements));
  const int per_pack = kPackBytes / element_bytes;
  for (Count me = 0; me < threads; ++me)
    for_my_share(
        me, threads, cut, per_pack,
        [&]<int kPacks>(Count i) {
          for (int k = 0; k < kPacks; ++k) {
            const Count first = cut.head + (i + k * threads) * per_pack;
            const bool aligned =
                reinterpret_cast<std::uintptr_t>(memory + first * element_bytes) % kPackBytes == 0;
            for (int e = 0; e < per_pack; ++e)
              times.at(static_cast<std::size_t>(first + e)) += aligned ? 1 : 100;
          }
        },
        [&](Count i) { ++times.at(static_cast<std::size_t>(i)); });
  return times;
}

}  // namespace

TEST_CASE("packs: every element is done once, at all offsets, lengths and numbers of threads") {
  alignas(16) std::byte memory[32];
  for (const int bytes : {1, 2, 4, 8})
    for (int off = 0; off < 16; off += bytes)
      for (const Count elements : {1, 2, 3, 7, 15, 16, 17, 40, 1000})
        for (const Count threads : {1, 3, 32}) {
          const Cut its = cut(memory + off, memory + off, elements, bytes);
          INFO(bytes << " bytes, off " << off << ", " << elements << " elements, " << threads);
          CHECK(times_done(memory + off, elements, bytes, threads, its) ==
                std::vector<int>(static_cast<std::size_t>(elements), 1));
          CHECK(its.head < 16 / bytes + (its.packs == 0 ? elements : 0));
          CHECK(its.tail < 16 / bytes);
          CHECK(threads_for(its) >= 1);
        }
}

TEST_CASE("packs: operands off by unequal amounts are done element by element") {
  alignas(16) std::byte memory[32] = {};
  const Cut its = cut(memory, memory + 4, 1000, 4);
  CHECK(its.head == 1000);
  CHECK(its.packs == 0);
  CHECK(its.tail == 0);
  CHECK(cut(memory + 4, memory + 4, 1000, 4).packs == 249);
}
