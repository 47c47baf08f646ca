#include "simulator/contention/indexed_heap.hpp"

#include <map>
#include <set>

#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::set<IndexedHeap::Thing> next(IndexedHeap& agenda) {
  const auto taken = agenda.take_next();
  std::set<IndexedHeap::Thing> things(taken.begin(), taken.end());
  REQUIRE(things.size() == taken.size());
  return things;
}

}  // namespace

TEST_CASE("agenda: a thing happens at the time that was set last") {
  IndexedHeap agenda;
  CHECK(agenda.empty());
  agenda.set(3, 50_ps);
  agenda.set(1, 20_ps);
  agenda.set(2, 30_ps);
  agenda.set(1, 60_ps);  // later
  agenda.set(3, 30_ps);  // earlier
  CHECK(agenda.next_time() == 30_ps);
  CHECK(next(agenda) == std::set<IndexedHeap::Thing>{2, 3});
  CHECK(agenda.next_time() == 60_ps);
  CHECK(next(agenda) == std::set<IndexedHeap::Thing>{1});
  CHECK(agenda.empty());
  agenda.set(1, 10_ps);  // a thing that was taken can be set again
  CHECK(next(agenda) == std::set<IndexedHeap::Thing>{1});
}

TEST_CASE("agenda: random times, many of them equal, against a sorted map") {
  Draw draw(1);
  IndexedHeap agenda;
  std::map<IndexedHeap::Thing, Time> times;
  for (int step = 0; step < 20000; ++step) {
    if (draw(5) > 0 || times.empty()) {
      const IndexedHeap::Thing thing = draw(200);
      const Time time = ps(draw(step % 1000 < 500 ? 10 : 100000));
      agenda.set(thing, time);
      times[thing] = time;
      continue;
    }
    Time least = kLatest;
    for (const auto& [thing, time] : times) least = std::min(least, time);
    std::set<IndexedHeap::Thing> wanted;
    for (const auto& [thing, time] : times)
      if (time == least) wanted.insert(thing);
    REQUIRE(agenda.next_time() == least);
    REQUIRE(next(agenda) == wanted);
    for (const IndexedHeap::Thing thing : wanted) times.erase(thing);
    REQUIRE(agenda.empty() == times.empty());
  }
}
