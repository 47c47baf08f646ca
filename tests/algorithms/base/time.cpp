// Time does not mix with counts, bytes or other times in ways that have no unit.
#include "algorithms/base/time.hpp"

#include <type_traits>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Multipliable = requires(A a, B b) { a * b; };
template <class A, class B>
concept Comparable = requires(A a, B b) { a < b; };

static_assert(Addable<Time, Time> && Multipliable<Time, Count> && Comparable<Time, Time>);
static_assert(!Addable<Time, Bytes> && !Addable<Time, Count> && !Addable<Time, double>);
static_assert(!Multipliable<Time, Time>);
static_assert(!Comparable<Time, Count> && !Comparable<Time, Bytes>);
static_assert(!std::is_convertible_v<Count, Time> && !std::is_convertible_v<Bytes, Time>);
static_assert(!std::is_convertible_v<double, Time> && !std::is_convertible_v<Time, Count>);
static_assert(!std::is_assignable_v<Time&, Count> && !std::is_assignable_v<Count&, Time>);
static_assert(sizeof(Time) == sizeof(std::int64_t) && std::is_trivially_copyable_v<Time>);

}  // namespace

TEST_CASE("to_time rounds to whole picoseconds and rejects steps over 11 days") {
  CHECK(to_time(0.4) == Time{0});
  CHECK(to_time(0.5) == Time{1});
  CHECK(to_time(picoseconds(kLongest)) == kLongest);
  CHECK(error_text(Blame::usage, [] { to_time(2 * picoseconds(kLongest)); }) ==
        "one simulated step would last over 11 days: use smaller sizes or rates");
  CHECK(error_text(Blame::usage, [] { to_time(0.0 / 0.0); }) ==
        "one simulated step would last over 11 days: use smaller sizes or rates");
}

TEST_CASE("in_calendar rejects times after the latest") {
  CHECK(in_calendar(kLatest) == kLatest);
  CHECK(error_text(Blame::usage, [] { in_calendar(kLatest + Time{1}); }) ==
        "simulated time passes 46 days: use smaller sizes or rates");
}

TEST_CASE("times convert to doubles in a named unit") {
  CHECK(picoseconds(kMicrosecond) == 1e6);
  CHECK(microseconds(kSecond) == 1e6);
}
