// Selection of the largest elements, compared with sorting.
#include "training/compressors/sparse/sparse_code.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

std::uint32_t key(float x) { return std::bit_cast<std::uint32_t>(x) & 0x7fffffffu; }

/// Sorts by descending magnitude; ties keep their order.
std::vector<std::uint32_t> sorted_largest(std::span<const float> x, Count k) {
  std::vector<std::uint32_t> at(x.size());
  std::iota(at.begin(), at.end(), 0u);
  std::stable_sort(at.begin(), at.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(x[a]) > key(x[b]); });
  at.resize(std::min(at.size(), static_cast<std::size_t>(k)));
  std::sort(at.begin(), at.end());
  return at;
}

std::vector<std::uint32_t> selected(std::span<const float> x, Count k) {
  Selector selector;
  const auto at = selector.largest(x, k);
  return {at.begin(), at.end()};
}

}  // namespace

TEST_CASE("largest() selects the same k elements as sorting") {
  for (const Count n : {0, 1, 2, 15, 16, 17, 1000, 5001})
    for (const Count k : {Count{0}, Count{1}, n / 100, n / 3, n - 1, n, n + 1, 10 * n}) {
      if (k < 0) continue;
      const auto x = test::gradient(n);
      CHECK(selected(x, k) == sorted_largest(x, k));
    }
}

TEST_CASE("among equal magnitudes the first are selected") {
  std::vector<float> x(1000, 0.5f);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = -0.5f;
  for (std::size_t i = 0; i < x.size(); i += 10) x[i] = 0.50001f;
  for (const Count k : {1, 99, 100, 101, 500, 999}) CHECK(selected(x, k) == sorted_largest(x, k));
  const std::vector<float> zeros(100);
  CHECK(selected(zeros, 3) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("NaN is larger than infinity, which is larger than all else") {
  auto x = test::gradient(100);
  x[50] = std::numeric_limits<float>::max();
  x[60] = -std::numeric_limits<float>::infinity();
  x[70] = std::numeric_limits<float>::quiet_NaN();
  CHECK(selected(x, 1) == std::vector<std::uint32_t>{70});
  CHECK(selected(x, 2) == std::vector<std::uint32_t>{60, 70});
  CHECK(selected(x, 3) == std::vector<std::uint32_t>{50, 60, 70});
}

TEST_CASE("a selector can be reused for another size") {
  Selector selector;
  for (const Count n : {1000, 10, 3000}) {
    const auto x = test::gradient(n);
    const auto at = selector.largest(x, n / 2);
    CHECK(std::vector<std::uint32_t>(at.begin(), at.end()) == sorted_largest(x, n / 2));
    CHECK(selector.from(x, 0).size() == x.size());
  }
}

TEST_CASE("rejects a code with an element beyond the tensor") {
  SparseCode code;
  const auto x = test::gradient(10);
  const std::uint32_t last[] = {9};
  const auto bytes = code.write(x, last);
  std::vector<float> into(9);
  CHECK_THROWS_AS(code.add(bytes, into, 1), Error);
}
