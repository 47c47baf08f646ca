// Sparse allreduces against the dense sum, for every number of ranks, with bytes counted.
#include "training/compressors/sparse/sparse.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/thorough.hpp"
#include "training/compressors/sparse/sparse_balanced.hpp"
#include "training/compressors/sparse/sparse_code.hpp"
#include "training/compressors/sparse/sparse_doubling.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Returns integers, whose sums are exact in any order; `clustered`: all in the first tenth.
SparseVector entries(Count n, Count k, Rank rank, bool clustered = false) {
  auto x = test::gradient(n, rank);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::round(x[i] * 1000);
    if (clustered && i > x.size() / 10) x[i] = 0;
  }
  Selector selector;
  SparseVector chosen;
  for (const std::uint32_t i : selector.largest(x, k)) chosen.push_back({i, x[i]});
  return chosen;
}

std::vector<float> dense_sum(Count n, Count k, Rank ranks, bool clustered = false) {
  std::vector<float> sum(static_cast<std::size_t>(n));
  for (Rank r = 0; r < ranks; ++r) add_to(sum, entries(n, k, r, clustered));
  return sum;
}

std::vector<float> dense(Count n, const SparseSum& sum) {
  if (sum.is_dense) return sum.vector;
  std::vector<float> x(static_cast<std::size_t>(n));
  add_to(x, sum.entries);
  return x;
}

Count ordered(std::span<const Entry> entries) {
  Count wrong = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) wrong += entries[i - 1].at >= entries[i].at;
  return wrong;
}

}  // namespace

TEST_CASE("merge() sums common entries and keeps the order") {
  const SparseVector a{{1, 1}, {3, 2}, {7, 3}}, b{{0, 5}, {3, 4}};
  SparseVector sum;
  merge(a, b, sum);
  CHECK(sum == SparseVector{{0, 5}, {1, 1}, {3, 6}, {7, 3}});
  merge({}, {}, sum);
  CHECK(sum.empty());
  std::vector<float> x(7);
  CHECK_THROWS_AS(add_to(x, a), Error);
}

TEST_CASE("entries_of() returns the entries of a sparse code") {
  SparseCode code;
  const std::vector<float> x{5, 6, 7};
  const std::uint32_t at[] = {0, 2};
  CHECK(entries_of(code.write(x, at)) == SparseVector{{0, 5}, {2, 7}});
}

TEST_CASE("recursive doubling gives the dense sum on 1 to 9 ranks, sparse or switched to dense") {
  constexpr Count n = 500;
  int switched = 0, stayed = 0;
  for (Rank ranks = 1; ranks <= 9; ++ranks)
    for (const Count k : {0, 1, 20, 100, 251, 500}) {
      INFO(ranks << " ranks, " << k << " entries");
      std::vector<SparseSum> sums(static_cast<std::size_t>(ranks));
      on_threads(ranks, [&](Communicator& communicator) {
        const Rank me = communicator.rank();
        sums[static_cast<std::size_t>(me)] = sum_by_doubling(communicator, entries(n, k, me), n);
      });
      const auto expected = dense_sum(n, k, ranks);
      for (const SparseSum& sum : sums) {
        CHECK(dense(n, sum) == expected);
        CHECK(sum.is_dense == sums[0].is_dense);
        CHECK(ordered(sum.entries) == 0);
        CHECK(sum.bytes() <= 4 * n);
        (sum.is_dense ? switched : stayed) += 1;
      }
    }
  CHECK(switched > 0);
  CHECK(stayed > 0);
}

TEST_CASE("recursive doubling sends each partial sum once per round, after its size") {
  constexpr Count n = 1 << 14, k = 100;
  for (const Rank ranks : {2, 4, 5, 8}) {
    std::vector<Count> sent(static_cast<std::size_t>(ranks)), expected(sent);
    on_threads(ranks, [&](Communicator& communicator) {
      CountingCommunicator counted(communicator);
      sum_by_doubling(counted, entries(n, k, communicator.rank()), n);
      sent[static_cast<std::size_t>(communicator.rank())] = counted.sent().bytes;
    });
    // The union of the entries of a group of ranks after each round.
    const Rank half = Rank{1} << floor_log2(ranks);
    const auto group_bytes = [&](Rank first, Rank size) {
      std::vector<float> seen(n);
      for (Rank r = first; r < first + size; ++r)
        for (const Rank with : {r, r + half})
          if (with < ranks)
            for (const Entry& e : entries(n, k, with)) seen[e.at] = 1;
      return 8 + 8 * static_cast<Count>(std::count(seen.begin(), seen.end(), 1.0f));
    };
    for (Rank r = 0; r < ranks; ++r) {
      Count& bytes = expected[static_cast<std::size_t>(r)];
      if (r >= half) {
        bytes = 8 + 8 * k;
        continue;
      }
      for (Rank size = 1; size < half; size *= 2) bytes += group_bytes(r / size * size, size);
      if (r < ranks - half) bytes += group_bytes(0, half);
    }
    CHECK(sent == expected);
  }
}

TEST_CASE("the balanced sum gives the dense sum, wherever the entries are") {
  for (const Rank ranks : kThreadSanitizer
                              ? std::vector<Rank>{5}
                              : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5, 8}))
    for (const bool clustered : {false, true})
      for (const Count n : {0, 1, 5, 500})
        for (const Count k : {0, 1, 40, 500}) {
          INFO(ranks << " ranks, " << k << " of " << n << (clustered ? ", clustered" : ""));
          std::vector<SparseVector> sums(static_cast<std::size_t>(ranks));
          on_threads(ranks, [&](Communicator& communicator) {
            const Rank me = communicator.rank();
            BalancedSum sum(n, {});
            for (int round = 0; round < 2;
                 ++round)  // first with new regions, then with the same ones
              sums[static_cast<std::size_t>(me)] =
                  sum.run(communicator, entries(n, k, me, clustered));
          });
          for (const SparseVector& sum : sums) CHECK(sum == sums[0]);
          CHECK(ordered(sums[0]) == 0);
          std::vector<float> x(static_cast<std::size_t>(n));
          add_to(x, sums[0]);
          CHECK(x == dense_sum(n, k, ranks, clustered));
        }
}

TEST_CASE(
    "the balanced sum returns its largest entries: those above a bound, at least as many as "
    "wanted") {
  constexpr Count n = 2000, k = 100;
  for (const Rank ranks : {1, 3, 8}) {
    std::vector<SparseVector> sums(static_cast<std::size_t>(ranks));
    on_threads(ranks, [&](Communicator& communicator) {
      BalancedSum sum(n, {});
      sums[static_cast<std::size_t>(communicator.rank())] =
          sum.run(communicator, entries(n, k, communicator.rank()), k);
    });
    for (const SparseVector& sum : sums) CHECK(sum == sums[0]);
    const auto all = dense_sum(n, k, ranks);
    float min = std::numeric_limits<float>::infinity();
    for (const Entry& e : sums[0]) {
      CHECK(e.value == all[e.at]);
      min = std::min(min, std::fabs(e.value));
    }
    // Nothing as large was omitted, and the k-th largest is within an eighth of an octave.
    auto magnitudes = all;
    for (float& v : magnitudes) v = std::fabs(v);
    std::sort(magnitudes.rbegin(), magnitudes.rend());
    const auto kept = static_cast<std::ptrdiff_t>(sums[0].size());
    CHECK(kept >= k);
    CHECK(std::count_if(magnitudes.begin(), magnitudes.end(),
                        [min](float v) { return v >= min; }) == kept);
    CHECK(min > magnitudes[k - 1] / 1.125f);
  }
}

TEST_CASE("balanced: with clustered entries, no rank sends much more than its share") {
  constexpr Count n = 1 << 16, k = 1000;
  constexpr Rank ranks = 8;
  std::vector<Count> sent(ranks);
  std::vector<Count> regions;
  on_threads(ranks, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    BalancedSum sum(n, {});
    const auto mine = entries(n, k, me, true);
    sum.run(communicator, mine, k);
    CountingCommunicator counted(communicator);
    const auto kept = sum.run(counted, mine, k);
    sent[static_cast<std::size_t>(me)] = counted.sent().bytes;
    if (me == 0) regions.assign(sum.regions().begin(), sum.regions().end());
  });
  CHECK(std::is_sorted(regions.begin(), regions.end()));
  CHECK(regions[7] < n / 10);  // all cuts are among the entries
  // k entries for the regions, at most k for balancing, about k for gathering; sizes; the
  // histogram.
  const Count histogram = 2 * 4 * 2048, sizes = 3 * 8 * ranks;
  for (const Count bytes : sent) CHECK(bytes < 8 * k * 31 / 10 + histogram + sizes);
}

TEST_CASE("sparse sums keep NaN and infinities, which count among the largest") {
  on_threads(3, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    const SparseVector mine{{static_cast<std::uint32_t>(me), 1},
                            {10, me == 1 ? std::numeric_limits<float>::quiet_NaN() : 1},
                            {20, me == 2 ? std::numeric_limits<float>::infinity() : 1}};
    const SparseSum sum = sum_by_doubling(communicator, mine, 100);
    BalancedSum balanced(100, {});
    const SparseVector largest = balanced.run(communicator, mine, 2);
    const Count wrong =
        !(std::isnan(dense(100, sum)[10]) && std::isinf(dense(100, sum)[20])) +
        !(largest.size() == 2 && std::isnan(largest[0].value) && std::isinf(largest[1].value));
    const Count all = communicator.sum(wrong);
    if (me == 0) CHECK(all == 0);
  });
}
