// WayChoice finds the fastest of its ways, keeps it, and leaves it when it is the fastest no more.
#include "collectives/copy/way_choice.hpp"

#include <array>
#include <cstddef>

#include "tests/support/catch.hpp"

using namespace arlab::collectives;

namespace {

using Times = std::array<double, 3>;  // of each way, in nanoseconds per byte

struct Picks {
  std::array<int, 3> of_way{};
  int measured = 0;
  int of(Way way) const { return of_way[static_cast<std::size_t>(way)]; }
};

// Sends that many messages, and reports what they take if that is asked for.
Picks run(WayChoice& choice, std::size_t bytes, const Times& times, int messages,
          bool may_read = true) {
  Picks picks;
  for (int i = 0; i < messages; ++i) {
    const auto [way, measured] = choice.pick(bytes, may_read);
    ++picks.of_way[static_cast<std::size_t>(way)];
    if (!measured) continue;
    ++picks.measured;
    choice.learn(bytes, way, times[static_cast<std::size_t>(way)] * static_cast<double>(bytes));
  }
  return picks;
}

}  // namespace

TEST_CASE("ways: the fastest is found, whichever it is, and nearly always taken") {
  for (const Way fastest : {Way::copied, Way::streamed, Way::read}) {
    WayChoice choice;
    Times times{3, 3, 3};
    times[static_cast<std::size_t>(fastest)] = 1;
    run(choice, 1 << 18, times, 20);
    const Picks picks = run(choice, 1 << 18, times, 10'000);
    CHECK(picks.of(fastest) > 9'950);
    CHECK(picks.of(fastest) < 10'000);  // the others are still tried
    CHECK(picks.measured < 1'000);
  }
}

TEST_CASE("ways: what may not be read is not read") {
  WayChoice choice;
  CHECK(run(choice, 1 << 18, {3, 2, 1}, 1'000, false).of(Way::read) == 0);
  CHECK(run(choice, 1 << 18, {3, 2, 1}, 1'000, true).of(Way::read) > 900);
  CHECK(run(choice, 1 << 18, {3, 2, 1}, 1'000, false).of(Way::read) == 0);
}

TEST_CASE("ways: a machine that changes is noticed") {
  WayChoice choice;
  run(choice, 1 << 14, {1, 2, 9}, 50'000, false);
  const Picks picks = run(choice, 1 << 14, {4, 2, 9}, 2'000, false);
  CHECK(picks.of(Way::streamed) > 1'500);
}

TEST_CASE("ways: each size has its own, and begins with that of half of it") {
  WayChoice choice;
  run(choice, 1 << 14, {2, 1, 9}, 100, false);
  CHECK(run(choice, 1 << 15, {2, 1, 9}, 16, false).of(Way::streamed) ==
        16);  // before its first trial
  run(choice, 1 << 20, {1, 2, 9}, 1'000, false);
  CHECK(run(choice, 1 << 20, {1, 2, 9}, 10, false).of(Way::copied) >= 9);
  CHECK(run(choice, 1 << 14, {2, 1, 9}, 10, false).of(Way::streamed) >= 9);
}

TEST_CASE("ways: reports that are lost, and none at all") {
  WayChoice choice;
  for (int i = 0; i < 10'000; ++i) choice.pick(1 << 18, true);
  CHECK(run(choice, 1 << 18, {3, 1, 2}, 2'000).of(Way::streamed) > 1'800);
  WayChoice nothing;
  nothing.learn(0, Way::streamed, 0);
  CHECK(nothing.pick(0).way != Way::read);
}
