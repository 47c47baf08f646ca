#include "simulator/contention/indexed_heap.hpp"

#include <map>
#include <set>

#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::set<IndexedHeap::Item> next(IndexedHeap& heap) {
  const auto taken = heap.take_next();
  std::set<IndexedHeap::Item> items(taken.begin(), taken.end());
  REQUIRE(items.size() == taken.size());
  return items;
}

}  // namespace

TEST_CASE("indexed heap: the latest time of an item counts") {
  IndexedHeap heap;
  CHECK(heap.empty());
  heap.set(3, 50_ps);
  heap.set(1, 20_ps);
  heap.set(2, 30_ps);
  heap.set(1, 60_ps);  // later
  heap.set(3, 30_ps);  // earlier
  CHECK(heap.next_time() == 30_ps);
  CHECK(next(heap) == std::set<IndexedHeap::Item>{2, 3});
  CHECK(heap.next_time() == 60_ps);
  CHECK(next(heap) == std::set<IndexedHeap::Item>{1});
  CHECK(heap.empty());
  heap.set(1, 10_ps);  // a taken item can be set again
  CHECK(next(heap) == std::set<IndexedHeap::Item>{1});
}

TEST_CASE("indexed heap: random times, many of them equal, agree with a sorted map") {
  Draw draw(1);
  IndexedHeap heap;
  std::map<IndexedHeap::Item, Time> times;
  for (int step = 0; step < 20000; ++step) {
    if (draw(5) > 0 || times.empty()) {
      const IndexedHeap::Item item = draw(200);
      const Time time = ps(draw(step % 1000 < 500 ? 10 : 100000));
      heap.set(item, time);
      times[item] = time;
      continue;
    }
    Time min = kLatest;
    for (const auto& [item, time] : times) min = std::min(min, time);
    std::set<IndexedHeap::Item> wanted;
    for (const auto& [item, time] : times)
      if (time == min) wanted.insert(item);
    REQUIRE(heap.next_time() == min);
    REQUIRE(next(heap) == wanted);
    for (const IndexedHeap::Item item : wanted) times.erase(item);
    REQUIRE(heap.empty() == times.empty());
  }
}
