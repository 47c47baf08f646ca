// Copies around the caches: every byte, and no other, at all alignments.
#include "collectives/copy/stream_copy.hpp"

#include <cstddef>
#include <vector>

#include "collectives/copy/measured_copy.hpp"
#include "tests/support/catch.hpp"

using namespace arlab::collectives;

namespace {

constexpr std::size_t kMargin = 200;

// Whether `copy` writes exactly the bytes that it should.
template <class Copy>
bool is_exact(Copy copy, std::size_t bytes, std::size_t into_offset, std::size_t from_offset) {
  std::vector<std::byte> from(bytes + 2 * kMargin), into(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(1 + i % 251);
  copy(into.data() + into_offset, from.data() + from_offset, bytes);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const bool inside = i >= into_offset && i < into_offset + bytes;
    if (into[i] != (inside ? from[i - into_offset + from_offset] : std::byte{})) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("streamed copies are exact at all alignments and sizes") {
  for (const std::size_t bytes : {0, 1, 15, 16, 63, 64, 65, 127, 128, 200, 1'000, 4'099})
    for (std::size_t into = 0; into < 70; into += into < 20 ? 1 : 7)
      for (const std::size_t from : {0, 1, 16, 33}) {
        INFO(bytes << " bytes to " << into << " from " << from);
        CHECK(is_exact(stream_copy, bytes, into, from));
      }
}

TEST_CASE("measured copies are exact, in either way") {
  MeasuredCopy copy;
  for (int i = 0; i < 100; ++i)
    for (const std::size_t bytes : {0, 8, 1'024, 1'025, 70'001}) {
      INFO(bytes << " bytes, copy " << i);
      CHECK(is_exact(copy, bytes, 3, 5));
    }
}
