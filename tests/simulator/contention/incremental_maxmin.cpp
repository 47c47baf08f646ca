// IncrementalMaxMin: after any sequence of changes, the rates equal those of a brute-force solver.
#include "simulator/contention/incremental_maxmin.hpp"

#include <algorithm>
#include <set>

#include "algorithms/base/types.hpp"
#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using Flow = IncrementalMaxMin::Flow;

std::set<Flow> settled(IncrementalMaxMin& shares) {
  const auto changed = shares.settle();
  return {changed.begin(), changed.end()};
}

// Starts and stops up to `max` flows per step on a random network with random routes.
// With `changing`, capacities change, too, also to 0. With `repeating`, routes cross links again.
void come_and_go(std::uint32_t seed, std::uint32_t max, std::uint32_t one_in, double cap,
                 bool changing = false, bool repeating = false) {
  Draw draw(seed);
  const std::uint32_t links = 2 + draw(20);
  std::vector<double> capacity(links);
  for (double& c : capacity) c = 1 + draw(draw(2) == 0 ? 3 : 1000);
  IncrementalMaxMin shares(capacity, cap);
  std::vector<Flow> waiting, flowing;
  const auto route = [&] {
    auto links_of = draw.route(links, one_in);
    for (std::uint32_t k = repeating ? draw(4) : 0; k > 0; --k)
      links_of.push_back(links_of[draw(static_cast<std::uint32_t>(links_of.size()))]);
    return links_of;
  };
  const auto take = [&](std::vector<Flow>& from) {
    const std::uint32_t i = draw(static_cast<std::uint32_t>(from.size()));
    const Flow flow = from[i];
    from[i] = from.back();
    from.pop_back();
    return flow;
  };
  for (int step = 0; step < 60; ++step) {
    std::vector<double> before(shares.flows());
    for (Flow f = 0; f < before.size(); ++f) before[f] = shares.rate(f);
    std::set<Flow> fresh;
    for (std::uint32_t k = draw(max) + 1; k > 0; --k) switch (draw(4)) {
        case 0:
          waiting.push_back(shares.add(route()));
          fresh.insert(waiting.back());
          REQUIRE(shares.rate(waiting.back()) == 0);
          break;
        case 1:
        case 2:
          if (waiting.empty()) break;
          flowing.push_back(take(waiting));
          shares.start(flowing.back());
          break;
        default:
          if (!waiting.empty() && draw(8) == 0) shares.stop(take(waiting));
          if (!flowing.empty()) shares.stop(take(flowing));
      }
    if (changing && draw(2) == 0) {
      const std::uint32_t link = draw(links);
      capacity[link] = draw(3) == 0 ? 0 : 1 + draw(1000);
      shares.set_capacity(static_cast<IncrementalMaxMin::Link>(link), capacity[link]);
    }
    const std::set<Flow> changed = settled(shares);
    Routes routes;
    for (const Flow f : flowing)
      routes.emplace_back(shares.route(f).begin(), shares.route(f).end());
    const std::vector<double> wanted = brute_force_rates(capacity, routes, cap);
    for (std::size_t i = 0; i < flowing.size(); ++i) {
      INFO("seed " << seed << ", step " << step << ", flow " << flowing[i]);
      REQUIRE(shares.rate(flowing[i]) == Approx(wanted[i]).epsilon(1e-9));
      if (!changed.contains(flowing[i]) && !fresh.contains(flowing[i]))
        REQUIRE(shares.rate(flowing[i]) == before[flowing[i]]);
    }
    for (const Flow f : changed)
      REQUIRE(std::find(flowing.begin(), flowing.end(), f) != flowing.end());
  }
}

}  // namespace

TEST_CASE("incremental max-min: a start or stop changes only the affected rates") {
  // Links 0 and 1 are wide; 2 is narrow. a crosses 0 and 2, b crosses 0, c crosses 1 alone.
  IncrementalMaxMin shares({10, 10, 2}, 0);
  const Flow a = shares.add(std::vector<IncrementalMaxMin::Link>{0, 2});
  const Flow b = shares.add(std::vector<IncrementalMaxMin::Link>{0});
  const Flow c = shares.add(std::vector<IncrementalMaxMin::Link>{1});
  for (const Flow f : {a, b, c}) shares.start(f);
  CHECK(settled(shares) == std::set{a, b, c});
  CHECK((shares.rate(a) == 2 && shares.rate(b) == 8 && shares.rate(c) == 10));
  // One more flow on the narrow link: a and b change, c does not.
  const Flow d = shares.add(std::vector<IncrementalMaxMin::Link>{2});
  CHECK(settled(shares).empty());  // added, but not started
  shares.start(d);
  CHECK(settled(shares) == std::set{a, b, d});
  CHECK((shares.rate(a) == 1 && shares.rate(b) == 9 && shares.rate(d) == 1));
  shares.stop(a);
  CHECK(settled(shares) == std::set{b, d});
  CHECK((shares.rate(b) == 10 && shares.rate(d) == 2));
  CHECK(settled(shares).empty());
}

TEST_CASE(
    "incremental max-min: the cap limits flows that no link limits, and flow numbers are reused") {
  IncrementalMaxMin shares({10}, 3);
  const Flow a = shares.add(std::vector<IncrementalMaxMin::Link>{0});
  shares.start(a);
  CHECK((settled(shares) == std::set{a} && shares.rate(a) == 3));
  shares.stop(a);
  CHECK(settled(shares).empty());
  CHECK(shares.add(std::vector<IncrementalMaxMin::Link>{0}) == a);
  CHECK((shares.rate(a) == 0 && !shares.started(a)));
}

TEST_CASE("incremental max-min on random networks equals a brute-force solver after every step") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    come_and_go(seed, 3, 4, 0);          // one by one: small changes of a full network
    come_and_go(1000 + seed, 40, 3, 0);  // many at once
    come_and_go(2000 + seed, 6, 8, 20);  // short routes, a cap
  }
}

// Without a second solver: no link carries more than its capacity, and each flow crosses a full
// link on which no flow is faster. On a shuffled 4:1 fat tree of 8 leaves, where a flow starts and
// stops at a time, or many do together, which is solved as a whole.
TEST_CASE("incremental max-min: the rates stay fair after thousands of changes") {
  constexpr std::uint32_t kHosts = 64, kLeaves = 8, kUp = 2, kHostsPerLeaf = kHosts / kLeaves;
  constexpr double kRounding = 1e-9;
  Draw draw(7);
  std::vector<double> capacity(2 * kHosts + 2 * kLeaves * kUp);
  for (double& c : capacity) c = 8 + draw(2);
  IncrementalMaxMin shares(capacity, 0);
  const auto random_route = [&] {
    const std::uint32_t source = draw(kHosts), target = draw(kHosts), spine = target % kUp;
    const std::uint32_t from = source / kHostsPerLeaf, to = target / kHostsPerLeaf;
    std::vector<std::uint32_t> links{source, kHosts + target};
    if (from != to) {
      links.push_back(2 * kHosts + from * kUp + spine);
      links.push_back(2 * kHosts + (kLeaves + to) * kUp + spine);
    }
    return std::vector<IncrementalMaxMin::Link>(links.begin(), links.end());
  };
  std::vector<Flow> flowing;
  const auto check = [&] {
    std::vector<double> load(capacity.size()), fastest(capacity.size());
    for (const Flow f : flowing)
      for (const auto link : shares.route(f)) {
        load[index(link)] += shares.rate(f);
        fastest[index(link)] = std::max(fastest[index(link)], shares.rate(f));
      }
    for (std::size_t l = 0; l < load.size(); ++l) REQUIRE(load[l] <= capacity[l] * (1 + kRounding));
    for (const Flow f : flowing) {
      const auto route = shares.route(f);
      REQUIRE(std::any_of(route.begin(), route.end(), [&](auto link) {
        return load[index(link)] >= capacity[index(link)] * (1 - kRounding) &&
               shares.rate(f) >= fastest[index(link)] * (1 - kRounding);
      }));
    }
  };
  for (int step = 0; step < 4000; ++step) {
    const std::uint32_t changes = step % 50 == 0 ? 100 : 1 + draw(3);
    for (std::uint32_t k = 0; k < changes; ++k) {
      if (flowing.size() > (step % 50 == 0 ? 90u : 60u)) {
        const std::uint32_t i = draw(static_cast<std::uint32_t>(flowing.size()));
        shares.stop(flowing[i]);
        flowing[i] = flowing.back();
        flowing.pop_back();
      }
      flowing.push_back(shares.add(random_route()));
      shares.start(flowing.back());
    }
    shares.settle();
    check();
  }
}

TEST_CASE("incremental max-min: capacities that change equal a brute-force solver") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    come_and_go(3000 + seed, 3, 4, 0, true);
    come_and_go(4000 + seed, 20, 3, 20, true);
  }
}

TEST_CASE("incremental max-min: a link without capacity stops its flows until it is back") {
  IncrementalMaxMin shares({10, 4}, 0);
  const Flow a = shares.add(std::vector<IncrementalMaxMin::Link>{0, 1});
  const Flow b = shares.add(std::vector<IncrementalMaxMin::Link>{0});
  for (const Flow f : {a, b}) shares.start(f);
  shares.settle();
  CHECK((shares.rate(a) == 4 && shares.rate(b) == 6));
  shares.set_capacity(1, 0);
  CHECK(settled(shares) == std::set{a, b});
  CHECK((shares.rate(a) == 0 && shares.rate(b) == 10));
  shares.set_capacity(1, 7);
  CHECK(settled(shares) == std::set{a, b});
  CHECK((shares.rate(a) == 5 && shares.rate(b) == 5));
  shares.set_capacity(0, 10);  // as it was
  CHECK(settled(shares).empty());
}

TEST_CASE(
    "incremental max-min: routes that cross a link several times equal a brute-force solver") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    come_and_go(seed, 3, 4, 0, false, true);
    come_and_go(seed, 30, 8, 50, seed % 2 == 0, true);
  }
  // Rates are equal, and one of the flows takes twice its rate.
  IncrementalMaxMin shares({12}, 0);
  const Flow twice = shares.add(std::vector<IncrementalMaxMin::Link>{0, 0}),
             once = shares.add(std::vector<IncrementalMaxMin::Link>{0});
  for (const Flow f : {twice, once}) shares.start(f);
  shares.settle();
  CHECK(shares.rate(twice) == 4);
  CHECK(shares.rate(once) == 4);
  shares.stop(once);
  shares.settle();
  CHECK(shares.rate(twice) == 6);
}

TEST_CASE("incremental max-min: flows that cross one link many times come and go") {
  Draw draw(1);
  IncrementalMaxMin shares({1000}, 0);
  std::vector<Flow> flowing;
  std::size_t crossings = 0;
  for (int step = 0; step < 2000; ++step) {
    if (draw(2) == 0 || flowing.empty()) {
      flowing.push_back(shares.add(std::vector<IncrementalMaxMin::Link>(1 + draw(5), 0)));
      shares.start(flowing.back());
      crossings += shares.route(flowing.back()).size();
    } else {
      std::swap(flowing[draw(static_cast<std::uint32_t>(flowing.size()))], flowing.back());
      crossings -= shares.route(flowing.back()).size();
      shares.stop(flowing.back());
      flowing.pop_back();
    }
    shares.settle();
    for (const Flow f : flowing)
      REQUIRE(shares.rate(f) == Approx(1000. / static_cast<double>(crossings)));
  }
}
