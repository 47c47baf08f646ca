#include "simulator/sweep/origins.hpp"

#include <compare>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// The origin of what is scheduled by the last of these events, of which each schedules the next.
Origin after(Origins& origins, Rank rank, const std::vector<Count>& times) {
  Origin origin = Origins::of_begin(rank);
  for (const Count time : times) origin = origins.next(origin, Time{time});
  return origin;
}

constexpr auto kUnordered = std::partial_ordering::unordered;

}  // namespace

TEST_CASE("Origins order events by the latest time at which the events before them differ") {
  Origins origins(16);
  const auto order = [&](const std::vector<Count>& a, const std::vector<Count>& b) {
    const auto forward = origins.order(after(origins, 9, a), after(origins, 3, b));
    const auto backward = origins.order(after(origins, 3, b), after(origins, 9, a));
    CHECK((forward < 0) == (backward > 0));
    return forward;
  };
  CHECK((order({0, 5}, {0, 7}) < 0));
  CHECK((order({0, 6, 7}, {0, 5, 7}) > 0));
  CHECK((order({0, 1, 4, 7}, {0, 2, 3, 7}) > 0));  // 4 after 3, although 1 is before 2
  CHECK((order({0, 4, 7}, {0, 4, 7, 7}) < 0));     // an event at once comes later
  CHECK((order({0, 7}, {0, 0, 7}) < 0));           // scheduled before all events
}

TEST_CASE("Origins order events after equal times by the ranks that began") {
  Origins origins(16);
  const Origin low = after(origins, 3, {0, 4, 7}), high = after(origins, 9, {0, 4, 7});
  CHECK((origins.order(low, high) < 0));
  CHECK((origins.order(high, low) > 0));
  CHECK(origins.time(low) == Time{7});
  CHECK((origins.order(low, low) == kUnordered));  // one event, or two that it led to
}

TEST_CASE("Origins that are not known are ordered by their time only") {
  Origins origins(16);
  const Origin known = after(origins, 3, {0, 4, 7}), unknown = origins.forgotten(known);
  CHECK((origins.order(known, unknown) == kUnordered));
  CHECK((origins.order(unknown, origins.forgotten(after(origins, 9, {0, 7}))) == kUnordered));
  CHECK((origins.order(known, Origin(Time{8})) < 0));
  CHECK((origins.order(Origin(Time{6}), known) < 0));
  const Origin next = origins.next(unknown, Time{9});
  CHECK_FALSE(next.is_known());
  CHECK(origins.time(next) == Time{9});
}

TEST_CASE("Origins forget sequences beyond their memory, and keep the times") {
  Origins origins(1 << 20);
  int known = 0;
  Origin origin = Origins::of_begin(5);
  for (Count time = 0; time < 2 * static_cast<Count>(Origins::kMost); ++time) {
    origin = origins.next(origin, Time{time});
    REQUIRE(origins.time(origin) == Time{time});
    known += origin.is_known() ? 1 : 0;
  }
  CHECK(known > 1000);
  CHECK_FALSE(origin.is_known());
}
