#include "simulator/sweep/next_events.hpp"

#include <map>
#include <vector>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("NextEvents handles the ranks with an event before the end, in order") {
  constexpr Time kWindow{10};
  for (const Rank ranks : {1, 63, 64, 65, 5000}) {
    NextEvents events(ranks);
    std::map<Rank, Time> expected;
    const Random random(11);
    std::uint64_t drawn = 0;
    const auto add = [&](Time begin) {
      const auto rank = static_cast<Rank>(random.below(ranks, drawn++));
      const Time time = begin + Time{random.below(40, drawn++)};
      const auto [known, is_new] = expected.try_emplace(rank, time);
      if (!is_new) known->second = std::min(known->second, time);
      events.add(rank, time);
    };
    for (int i = 0; i < 100; ++i) add(Time{});
    int windows = 0;
    for (Time end = kWindow; !expected.empty(); end += kWindow, ++windows) {
      std::vector<Rank> due, handled, announced;
      for (const auto& [rank, time] : expected)
        if (time < end) due.push_back(rank);
      events.pass(
          end, [&](Rank rank) { announced.push_back(rank); },
          [&](Rank rank) {
            handled.push_back(rank);
            expected.erase(rank);
            if (windows < 20) add(end);  // of another rank, or of this one
            const auto own = expected.find(rank);
            return own == expected.end() ? kNever : own->second;
          });
      REQUIRE(handled == due);
      REQUIRE(announced == due);
      Time earliest = kNever;
      for (const auto& [rank, time] : expected) earliest = std::min(earliest, time);
      REQUIRE(events.earliest() == earliest);
    }
    CHECK(windows > 20);
    CHECK(events.visits() <= windows * ((ranks + 63) / 64));
  }
}
