// The search names what is slow in a synthetic cluster, and nothing else.
#include "bench/hunt/search/search.hpp"

#include <set>

#include "algorithms/base/random.hpp"
#include "algorithms/problem.hpp"
#include "bench/hunt/search/ranks.hpp"
#include "bench/hunt/search/rounds.hpp"
#include "tests/bench/hunt/synthetic.hpp"
#include "tests/support/catch.hpp"

using synthetic::Cluster;
using namespace arlab;
using namespace arlab::hunt;

namespace {

// Checks that one port is slow, and returns the finding.
Finding only_port(const Search& search, Rank rank, Quantity quantity) {
  REQUIRE(search.findings.size() == 1);
  const Finding found = search.findings.front();
  CHECK(search.verdict == Verdict::slow);
  CHECK(found.place == Place::port);
  CHECK(found.quantity == quantity);
  CHECK(found.ranks == std::vector<Rank>{rank});
  return found;
}

Finding only_group(const Search& search) {
  REQUIRE(search.findings.size() == 1);
  CHECK(search.findings.front().place == Place::group);
  CHECK(search.verdict == Verdict::slow);
  return search.findings.front();
}

}  // namespace

TEST_CASE("hunt: a tournament has each pair once, in rounds of disjoint pairs") {
  for (Rank n = 1; n <= 33; ++n) {
    std::vector<Rank> players;
    for (Rank r = 0; r < n; ++r) players.push_back(100 + r);
    std::set<Pair> seen;
    const auto rounds = tournament(players, 1000);
    for (const PairRound& round : rounds) {
      std::set<Rank> busy;
      for (const Pair& p : round) {
        CHECK(busy.insert(p.from).second);
        CHECK(busy.insert(p.to).second);
        CHECK(seen.insert({std::min(p.from, p.to), std::max(p.from, p.to)}).second);
      }
    }
    CHECK(static_cast<Rank>(seen.size()) == n * (n - 1) / 2);
    CHECK(static_cast<Rank>(rounds.size()) == (n < 2 ? 0 : n - 1 + n % 2));
  }
  const std::vector<Rank> eight{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(tournament(eight, 3).size() == 3);
  CHECK(tournament(eight, 0).empty());
}

TEST_CASE("hunt: at most 4 ceil(log2 ranks) rounds above 64 ranks") {
  CHECK(plan_of(1).scan == 0);
  CHECK(plan_of(5).scan == 5);
  CHECK(plan_of(64).scan == 63);
  for (const Rank n : {65, 100, 128, 1000, 1024, 5000}) {
    const Plan plan = plan_of(n);
    CHECK(plan.scan + plan.most_tests <= 4 * ceil_log2(n));
    CHECK(plan.scan > 0);
  }
  const Cluster cluster{
      .ranks = 1024, .leaf = 16, .spines = 8, .noise = 0.03, .uplinks_of_leaf = 3};
  CHECK(cluster.found().rounds <= 40);
}

TEST_CASE("hunt: large messages take at most about 20 ms") {
  double rate = 0;  // bytes per microsecond
  Probe probe{.ranks = 6};
  probe.round_trips = [&](std::span<const Pair> pairs, Bytes bytes) {
    return std::vector<double>(pairs.size(), static_cast<double>(bytes) / rate);
  };
  const std::pair<double, Bytes> expected[] = {
      {12'500, kMostBytes}, {125, Bytes{2} << 20}, {6, Bytes{64} << 10}, {0.01, Bytes{64} << 10}};
  for (const auto& [of, bytes] : expected) {
    rate = of;
    CHECK(fitting_bytes(probe) == bytes);
  }
  CHECK(fitting_bytes({.ranks = 1}) == kMostBytes);
}

TEST_CASE("hunt: one slow port is named, of few ranks and of many") {
  for (const Rank n : {4, 5, 7, 8, 16, 33, 64, 65, 128, 1024})
    for (const double factor : {1.3, 2.0, 10.0}) {
      CAPTURE(n, factor);
      const Cluster cluster{
          .ranks = n, .noise = 0.03, .sends = {{3, factor}}, .receives = {{3, factor}}};
      const Finding found = only_port(cluster.found(), 3, Quantity::bandwidth);
      CHECK(found.sends);
      CHECK(found.receives);
      CHECK(found.times == Approx(factor).epsilon(0.05));
    }
}

TEST_CASE("hunt: a port of 1.15 times is found in most clusters of 16, and never another") {
  int times = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Cluster cluster{
        .noise = 0.02, .seed = seed, .sends = {{7, 1.15}}, .receives = {{7, 1.15}}};
    for (const Finding& f : cluster.found().findings) {
      CHECK(f.ranks == std::vector<Rank>{7});
      ++times;
    }
  }
  CHECK(times >= 15);
}

TEST_CASE("hunt: two slow hosts are two ports, also on one leaf") {
  for (const Rank other : {4, 12}) {
    const Cluster cluster{
        .leaf = 4, .noise = 0.03, .sends = {{5, 2}, {other, 2}}, .receives = {{5, 2}, {other, 2}}};
    const Search search = cluster.found();
    REQUIRE(search.findings.size() == 2);
    std::set<Rank> named;
    for (const Finding& f : search.findings) {
      CHECK(f.place == Place::port);
      named.insert(f.ranks.begin(), f.ranks.end());
    }
    CHECK(named == std::set<Rank>{5, other});
  }
}

TEST_CASE("hunt: a slow uplink under hashing is a group, and never a host") {
  struct Shape {
    Rank ranks, leaf;
    int spines;
    bool collides;
  };
  for (const Shape s : {Shape{16, 4, 2, false},
                        {16, 4, 4, false},
                        {32, 8, 4, true},
                        {64, 16, 8, true},
                        {1024, 16, 8, false}})
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(s.ranks, s.spines, s.collides, seed);
      const Cluster cluster{.ranks = s.ranks,
                            .leaf = s.leaf,
                            .spines = s.spines,
                            .noise = 0.02,
                            .seed = seed,
                            .collides = s.collides,
                            .uplink = 4};
      const Finding found = only_group(cluster.found());
      for (const Rank r : found.ranks) CHECK(cluster.leaf_of(r) == 0);
      CHECK(found.sends);
      CHECK(found.receives);
    }
}

TEST_CASE("hunt: without knowledge of leaves a slow uplink is no host either") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Cluster cluster{.ranks = 32,
                          .leaf = 8,
                          .spines = 2,
                          .noise = 0.02,
                          .seed = seed,
                          .knows_leaves = false,
                          .uplink = 3};
    const Search search = cluster.found();
    CHECK(search.verdict == Verdict::slow);
    for (const Finding& f : search.findings) CHECK(f.place == Place::group);
  }
}

TEST_CASE("hunt: if all uplinks of a leaf are slow, its hosts are a group") {
  for (const Rank n : {16, 64, 1024})
    for (const bool knows : {true, false}) {
      CAPTURE(n, knows);
      const Rank leaf = n == 16 ? 4 : 8;
      const Cluster cluster{
          .ranks = n, .leaf = leaf, .noise = 0.03, .knows_leaves = knows, .uplinks_of_leaf = 2};
      const Finding found = only_group(cluster.found());
      CHECK(static_cast<Rank>(found.ranks.size()) == leaf);
      CHECK(found.ranks.back() == leaf - 1);
    }
}

TEST_CASE("hunt: messages that meet others by their hash are not slow") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const Rank n : {16, 32, 64}) {
      CAPTURE(n, seed);
      const Cluster cluster{
          .ranks = n, .leaf = n / 4, .spines = 4, .noise = 0.02, .seed = seed, .collides = true};
      CHECK(cluster.found().findings.empty());
    }
}

TEST_CASE("hunt: a rank that is slow by itself is a rank, and no port") {
  const Cluster cluster{.noise = 0.03,
                        .sends = {{9, 1.5}},
                        .receives = {{9, 1.5}},
                        .late = {{9, 3}},
                        .alone = {{9, 1.5}}};
  const Search search = cluster.found();
  REQUIRE(search.findings.size() == 2);  // copies and additions
  for (const Finding& f : search.findings) {
    CHECK(f.place == Place::rank);
    CHECK(f.ranks == std::vector<Rank>{9});
    CHECK(f.times == Approx(1.5).epsilon(0.1));
  }
}

TEST_CASE("hunt: one direction, and latency, are named alone") {
  const Cluster sender{.noise = 0.03, .sends = {{3, 2}}};
  const Finding out = only_port(sender.found(), 3, Quantity::bandwidth);
  CHECK(out.sends);
  CHECK_FALSE(out.receives);
  const Cluster receiver{.noise = 0.03, .receives = {{0, 2}}};
  const Finding in = only_port(receiver.found(), 0, Quantity::bandwidth);
  CHECK_FALSE(in.sends);
  CHECK(in.receives);
  for (const Rank n : {8, 16, 256}) {
    const Cluster late{.ranks = n, .noise = 0.03, .late = {{5, 4}}};
    CHECK(only_port(late.found(), 5, Quantity::latency).times == Approx(4).epsilon(0.1));
  }
}

TEST_CASE("hunt: one pair is a link, in one direction or both") {
  const Cluster one{.noise = 0.03, .links = {{{2, 11}, 2}}};
  Search search = one.found();
  REQUIRE(search.findings.size() == 1);
  CHECK(search.findings[0].place == Place::link);
  CHECK(search.findings[0].ranks == std::vector<Rank>{2});
  CHECK(search.findings[0].others == std::vector<Rank>{11});
  CHECK(search.findings[0].sends);
  CHECK_FALSE(search.findings[0].receives);
  const Cluster both{.leaf = 4, .noise = 0.03, .links = {{{2, 11}, 2}, {{11, 2}, 2}}};
  search = both.found();
  REQUIRE(search.findings.size() == 1);
  CHECK(search.findings[0].place == Place::link);
  CHECK(search.findings[0].sends);
  CHECK(search.findings[0].receives);
}

TEST_CASE("hunt: without a fault and with 3% noise, fewer than 1% of the clusters raise an alarm") {
  for (const Rank n : {4, 8, 16}) {
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Cluster cluster{.ranks = n, .noise = 0.03, .seed = seed};
      const Search search = cluster.found();
      alarms += search.findings.empty() ? 0 : 1;
      CHECK(search.verdict != Verdict::noisy);
    }
    CAPTURE(n);
    CHECK(alarms < 2);
  }
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    CHECK(Cluster{.ranks = 1024, .leaf = 16, .noise = 0.03, .seed = seed}.found().findings.empty());
}

TEST_CASE("hunt: with much noise nothing is named, and it is said") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Cluster cluster{.ranks = 8, .noise = 0.4, .seed = seed};
    const Search search = cluster.found();
    CHECK(search.findings.empty());
    CHECK(search.verdict == Verdict::noisy);
  }
}

TEST_CASE("hunt: what one quantity says, where all others are too noisy, is chance") {
  const Cluster noisy{.ranks = 4, .noise = 0.4, .alone = {{3, 2.7}}},
      calm{.ranks = 4, .noise = 0.01, .alone = {{3, 2.7}}};
  Probe probe = noisy.probe();
  probe.copy = calm.probe().copy;
  const Search search = hunt::search(probe);
  REQUIRE_FALSE(search[Quantity::copy].is_noisy);
  REQUIRE(search[Quantity::bandwidth].is_noisy);
  CHECK(search.findings.empty());
  CHECK(search.verdict == Verdict::noisy);
  CHECK(calm.found().verdict == Verdict::slow);
}

TEST_CASE("hunt: a rank whose messages are late again and again loses packets, and no other") {
  const Cluster cluster{.ranks = 8, .noise = 0.03};
  Probe probe = cluster.probe();
  std::vector<Trips> trips(8, {.all = 400, .late = 2, .late_us = 4e5});
  trips[3] = {.all = 400, .late = 14, .late_us = 2.8e6};
  probe.trips = [&] { return trips; };
  Search search = hunt::search(probe);
  REQUIRE(search.findings.size() == 1);
  CHECK(search.verdict == Verdict::slow);
  CHECK(search.findings[0].place == Place::port);
  CHECK(search.findings[0].quantity == Quantity::loss);
  CHECK(search.findings[0].ranks == std::vector<Rank>{3});
  // 2.8 s more than 400 round trips of twice the latency.
  CHECK(search.findings[0].times ==
        Approx(1 + 2.8e6 / (400 * 2 * search[Quantity::latency].usual_us)));
  trips[3].late = 4;  // as chance has it
  CHECK(hunt::search(probe).verdict == Verdict::quiet);
}

TEST_CASE("hunt: what chance gives to one of the ranks names none") {
  CHECK_FALSE(is_more_than_chance(0, 0, 8));
  CHECK_FALSE(is_more_than_chance(4, 4, 1024));  // too few
  CHECK(is_more_than_chance(7, 7, 8));
  CHECK_FALSE(is_more_than_chance(5, 5, 4));  // half of all pairs have a rank
  CHECK(is_more_than_chance(40, 40, 4));
  CHECK_FALSE(is_more_than_chance(30, 100, 8));
  CHECK(is_more_than_chance(60, 100, 8));
  // Late round trips anywhere: below one alarm in 1000.
  int alarms = 0;
  const Random random(7);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::vector<Count> late(8);
    for (std::uint64_t k = 0; k < 30; ++k) {
      const std::uint64_t draw = random(30 * seed + k);
      const std::size_t from = draw % 8, to = (from + 1 + draw / 8 % 7) % 8;
      ++late[from];
      ++late[to];
    }
    for (const Count count : late) alarms += is_more_than_chance(count, 30, 8) ? 1 : 0;
  }
  CHECK(alarms <= 1);
}

TEST_CASE("hunt: three ranks are too few, and one has no pairs") {
  for (const Rank n : {1, 2, 3}) {
    const Search search = Cluster{.ranks = n, .sends = {{0, 3}}, .alone = {{0, 3}}}.found();
    CHECK(search.verdict == Verdict::few);
    CHECK(search.findings.empty());
  }
}
