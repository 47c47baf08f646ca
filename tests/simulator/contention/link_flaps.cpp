#include "simulator/contention/link_flaps.hpp"

#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::map<std::int32_t, double> changes(LinkFlaps& flaps, Time now) {
  std::map<std::int32_t, double> shares;
  for (const LinkFlaps::Change& change : flaps.advance(now)) {
    REQUIRE(!shares.contains(change.link));
    shares[change.link] = change.share;
  }
  return shares;
}

using ByLink = std::map<std::int32_t, double>;

}  // namespace

TEST_CASE("without flaps nothing changes") {
  LinkFlaps none;
  CHECK((none.empty() && none.next_time() == kNever && none.advance(1_us).empty()));
}

TEST_CASE("a flap takes a share of the bandwidth and gives it back") {
  LinkFlaps flaps({{.link = 3, .begin = 10_ps, .length = 5_ps, .share = 0.25}});
  CHECK(flaps.next_time() == 10_ps);
  CHECK(changes(flaps, 9_ps).empty());
  CHECK(changes(flaps, 10_ps) == ByLink{{3, 0.25}});
  CHECK(flaps.next_time() == 15_ps);
  CHECK(changes(flaps, 15_ps) == ByLink{{3, 1}});
  CHECK(flaps.next_time() == kNever);
}

TEST_CASE("a flap with a period comes back, also if nobody asked for many periods") {
  LinkFlaps flaps({{.link = 0, .begin = 7_ps, .length = 2_ps, .period = 10_ps}});
  CHECK(changes(flaps, 7_ps) == ByLink{{0, 0}});
  CHECK(changes(flaps, 9_ps) == ByLink{{0, 1}});
  CHECK(flaps.next_time() == 17_ps);
  CHECK(changes(flaps, 1'000'008_ps) == ByLink{{0, 0}});  // 1 ps into a failure
  CHECK(flaps.next_time() == 1'000'009_ps);
  CHECK(changes(flaps, 2'000'009_ps) == ByLink{{0, 1}});  // at the end of one
  CHECK(flaps.next_time() == 2'000'017_ps);
}

TEST_CASE("the flaps of one link multiply, and those of others do not") {
  LinkFlaps flaps({{.link = 5, .begin = 4_ps, .length = 4_ps, .share = 0.5},
                   {.link = 1, .begin = 4_ps, .length = 9_ps},
                   {.link = 5, .begin = 2_ps, .length = 4_ps, .share = 0.5}});
  CHECK(changes(flaps, 2_ps) == ByLink{{5, 0.5}});
  CHECK(changes(flaps, 4_ps) == ByLink{{5, 0.25}, {1, 0}});
  CHECK(changes(flaps, 6_ps) == ByLink{{5, 0.5}});
  CHECK(changes(flaps, 13_ps) == ByLink{{5, 1}, {1, 1}});
}

TEST_CASE("flaps that no link can have are refused with their numbers") {
  const auto refusal = [](const LinkFlap& flap) {
    return error_text(Blame::usage, [&] { LinkFlaps({flap}); });
  };
  CHECK(refusal({.length = 1_us, .share = 1.5}) ==
        "a failing link would keep 1.5 of its bandwidth: give a share from 0 to 1");
  CHECK(
      refusal({.length = 1_us, .period = 1_us}) ==
      "a link would fail for 1us of each 1us: it must fail for longer than 0, and work for a part "
      "of the period");
  CHECK(refusal({.length = 0_us, .period = 1_us}).find("longer than 0") != std::string::npos);
  CHECK(refusal({.length = 1_us, .share = -0.5}).find("from 0 to 1") != std::string::npos);
}
