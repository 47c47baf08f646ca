// Sums and maxima over ranks, computed by hand.
#include "training/trainer/epoch_report.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using PerRank = std::array<double, 3>;  // by rank

/// What each rank gets.
PerRank sums(const PerRank& values) {
  PerRank all{};
  on_threads(3, [&](Communicator& c) {
    const auto me = static_cast<std::size_t>(c.rank());
    all[me] = sum(c, values[me]);
  });
  return all;
}

}  // namespace

TEST_CASE("doubles are added rank by rank, and a NaN of any rank is not lost") {
  CHECK(sums({1, 20, 300}) == PerRank{321, 321, 321});
  CHECK(sums({-1, -20, -300}) == PerRank{-321, -321, -321});
  CHECK(sums({1e16, 1, -1e16}) == PerRank{0, 0, 0});  // another order would give 1
  CHECK(sums({1e16, -1e16, 1}) == PerRank{1, 1, 1});
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    PerRank values{1, 2, 3};
    values[rank] = kNaN;
    for (const double its : sums(values)) CHECK(std::isnan(its));
  }
}

TEST_CASE("staleness is added by number of updates") {
  std::array<Staleness, 3> all;
  on_threads(3, [&](Communicator& c) {
    const Staleness own[] = {{{0, 5}, {2, 1}}, {}, {{2, 10}, {7, 3}}};
    all[static_cast<std::size_t>(c.rank())] = sum(c, own[c.rank()]);
  });
  for (const Staleness& its : all) CHECK(its == Staleness{{0, 5}, {2, 11}, {7, 3}});
}

TEST_CASE(
    "an epoch's times are those of the slowest worker in each respect, its bytes of all ranks") {
  // Ranks 0 and 1 are workers, rank 2 is a server.
  const double seconds[] = {10, 9, 11}, input[] = {1, 2, 0};
  const Exchange::Usage used[] = {
      {.seconds = 6, .exposed = 5, .codec = 0.5, .bytes = 100, .collectives = 1},
      {.seconds = 7, .exposed = 2, .codec = 0.25, .bytes = 20, .collectives = 1},
      {.seconds = 8, .exposed = 8, .codec = 8, .bytes = 3, .collectives = 1}};
  std::array<StepCosts, 3> all;
  on_threads(3, [&](Communicator& c) {
    const auto me = static_cast<std::size_t>(c.rank());
    const OwnCosts own{6, 10, seconds[me], input[me], used[me]};
    all[me] = combine(c, own, c.rank() < 2);
  });
  for (const StepCosts& e : all) {
    CHECK(e.steps == 6);
    CHECK(e.samples == 30);
    CHECK(e.seconds == 10);
    CHECK(e.input == 2);
    CHECK(e.exposed == 5);
    CHECK(e.communication == 7);
    CHECK(e.codec == 0.5);
    CHECK(e.compute == 5);  // of rank 1: 9 - 2 - 2
    CHECK(e.bytes_sent == 123);
  }
}
