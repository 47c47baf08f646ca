#include "bench/sweep/share.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// Whether the parts are contiguous and hold all configurations.
bool whole(const std::vector<Range>& parts, std::size_t configurations) {
  std::size_t at = 0;
  for (const Range& part : parts) {
    if (part.begin != at || part.end < part.begin) return false;
    at = part.end;
  }
  return at == configurations;
}

}  // namespace

TEST_CASE("parts are contiguous, hold everything, and take about as long") {
  for (const std::size_t n : {0u, 1u, 2u, 7u, 100u})
    for (const Rank ranks : {1, 2, 3, 8, 64}) {
      INFO(n << " " << ranks);
      const std::vector<double> equal(n, 2.);
      const auto parts = parts_of(equal, ranks);
      CHECK(parts.size() == static_cast<std::size_t>(ranks));
      CHECK(whole(parts, n));
      for (const Range& part : parts)
        CHECK(part.end - part.begin <= n / static_cast<std::size_t>(ranks) + 1);
    }
  // 9 short ones take as long as the long one.
  std::vector<double> seconds(9, 1.);
  seconds.push_back(9.);
  CHECK(parts_of(seconds, 2) == std::vector<Range>{{0, 9}, {9, 10}});
  CHECK(whole(parts_of(std::vector<double>(5, 0.), 3), 5));
}

TEST_CASE("a part's file has the rank and the number of ranks") {
  CHECK(part_path("a/b.jsonl", 2, 16) == "a/b.jsonl.2-of-16");
}
