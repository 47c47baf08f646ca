#include "bench/sweep/workers.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab::bench;

namespace {

const std::vector<std::size_t> kUnits{1, 3, 1, 1, 5, 2, 1, 1, 4, 1};
constexpr std::size_t kItems = 20;

}  // namespace

TEST_CASE("workers do each item once, and give the results in order") {
  for (const int threads : {1, 2, 7, 30}) {
    std::vector<std::atomic<int>> done(kItems);
    std::vector<int> by_thread(kItems, -1);
    std::vector<std::size_t> order;
    work_in_order(
        kUnits, threads,
        [&](std::size_t item, int thread) {
          ++done[item];
          by_thread[item] = thread;
        },
        [&](std::size_t item) {
          CHECK(done[item] == 1);
          order.push_back(item);
        });
    std::vector<std::size_t> expected(kItems);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    CHECK(order == expected);
    std::size_t first = 0;
    for (const std::size_t size : kUnits) {
      for (std::size_t item = first; item < first + size; ++item) {
        CHECK(by_thread[item] >= 0);
        CHECK(by_thread[item] < threads);
        CHECK(by_thread[item] == by_thread[first]);
      }
      first += size;
    }
  }
}

TEST_CASE("the first item that fails ends the work, after the results before it") {
  for (const int threads : {1, 4}) {
    std::vector<std::size_t> results;
    std::atomic<int> begun = 0;
    const std::vector<std::size_t> units(1000, 1);
    CHECK_THROWS_WITH(work_in_order(
                          units, threads,
                          [&](std::size_t item, int) {
                            ++begun;
                            if (item >= 5) throw std::runtime_error(std::to_string(item));
                          },
                          [&](std::size_t item) { results.push_back(item); }),
                      "5");
    CHECK(results == std::vector<std::size_t>{0, 1, 2, 3, 4});
    CHECK(begun < 1000);
  }
}

TEST_CASE("no items need no work, and a processor is there") {
  work_in_order(
      {}, 3, [](std::size_t, int) { FAIL(); }, [](std::size_t) { FAIL(); });
  CHECK(processors() >= 1);
}
