#include "simulator/contention/delay_queue.hpp"

#include <map>
#include <set>

#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

// With few delays there is one list for each, with many also a heap.
TEST_CASE("delay queue: random delays agree with a sorted map") {
  for (const std::uint32_t delays : {1u, 3u, 16u, 17u, 200u}) {
    Draw draw(delays);
    DelayQueue queue;
    std::map<Time, std::set<DelayQueue::Item>> wanted;
    Time now{};
    DelayQueue::Item item = 0;
    for (int step = 0; step < 20000; ++step) {
      if (draw(2) == 0 || wanted.empty()) {
        if (draw(2) == 0) now += ps(draw(3));
        if (!wanted.empty()) now = std::min(now, wanted.begin()->first);
        const Time delay = ps(draw(delays) * 7);
        queue.push(item, now, delay);
        wanted[now + delay].insert(item);
        item = (item + 1) % 50000;
      } else {
        now = wanted.begin()->first;
        const auto taken = queue.take_next();
        REQUIRE(std::set(taken.begin(), taken.end()) == wanted.begin()->second);
        REQUIRE(taken.size() == wanted.begin()->second.size());
        wanted.erase(wanted.begin());
      }
      REQUIRE(queue.next_time() == (wanted.empty() ? Time::max() : wanted.begin()->first));
      REQUIRE(queue.empty() == wanted.empty());
    }
  }
}
