// MaxMin against cases solved by hand, and against a brute-force solver on random networks.
#include "simulator/contention/maxmin.hpp"

#include <limits>

#include "algorithms/base/error.hpp"
#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Sharing sharing(const std::vector<double>& capacity, const Routes& routes, double cap = 0) {
  const double limit = cap > 0 ? cap : std::numeric_limits<double>::infinity();
  Sharing s{.capacity = capacity, .begin = {0}, .links = {}, .limit = {}};
  s.limit.assign(routes.size(), limit);
  for (const auto& route : routes) {
    s.links.insert(s.links.end(), route.begin(), route.end());
    s.begin.push_back(static_cast<std::uint32_t>(s.links.size()));
  }
  return s;
}

std::vector<double> rates(const std::vector<double>& capacity, const Routes& routes,
                          double cap = 0) {
  MaxMin solver;
  const auto solved = solver.solve(sharing(capacity, routes, cap)).rate;
  return {solved.begin(), solved.end()};
}

}  // namespace

TEST_CASE("max-min shares solved by hand") {
  using Rates = std::vector<double>;
  CHECK(rates({10}, {{0}}) == Rates{10});
  CHECK(rates({12}, {{0}, {0}, {0}}) == Rates{4, 4, 4});
  // One long flow over both links, one short flow on each: the narrow link limits the long one.
  CHECK(rates({10, 4}, {{0, 1}, {0}, {1}}) == Rates{2, 8, 2});
  // A chain as in Bertsekas & Gallager: the second link fills first, then the third, then the
  // first.
  CHECK(rates({9, 2, 6}, {{0, 1}, {1, 2}, {2}, {0}}) == Rates{1, 1, 5, 8});
  CHECK(rates({10, 4}, {{0, 1}, {0}, {1}}, 3) == Rates{2, 3, 2});
  CHECK(rates({10}, {{0}, {}}, 3) == Rates{3, 3});
  CHECK(rates({10}, {}).empty());
}

TEST_CASE("each flow is limited by a full link on which no flow has more, or by the cap") {
  MaxMin solver;
  const Shares solved = solver.solve(sharing({9, 2, 6}, {{0, 1}, {1, 2}, {2}, {0}}, 7));
  CHECK(std::vector(solved.rate.begin(), solved.rate.end()) == std::vector<double>{1, 1, 5, 7});
  CHECK(std::vector(solved.holder.begin(), solved.holder.end()) ==
        std::vector<std::uint32_t>{1, 1, 2, Shares::kLimit});
}

TEST_CASE("the rates on random networks equal those of a brute-force solver") {
  Draw draw(7);
  MaxMin solver;  // one solver for all problems, to detect stale data
  for (int trial = 0; trial < 500; ++trial) {
    const std::uint32_t links = 1 + draw(12), flows = draw(30);
    std::vector<double> capacity(links);
    for (double& c : capacity) c = 1 + draw(100);
    Routes routes(flows);
    for (auto& route : routes) route = draw.route(links, 3);
    const double cap = draw(3) == 0 ? 1 + draw(20) : 0;
    const std::vector<double> wanted = brute_force_rates(capacity, routes, cap);
    for (int again = 0; again < 2; ++again) {  // the second time from the cache
      const auto solved = solver.solve(sharing(capacity, routes, cap)).rate;
      for (std::uint32_t f = 0; f < flows; ++f)
        REQUIRE(solved[f] == Approx(wanted[f]).epsilon(1e-9));
    }
  }
}

TEST_CASE("limits of flows: each its own, reached before and after links are full") {
  Sharing s = sharing({12, 100}, {{0}, {0}, {0}, {0, 1}, {}, {1}});
  const double none = std::numeric_limits<double>::infinity();
  s.limit = {1, none, 5, 2, 7, none};
  MaxMin solver;
  const auto check = [&] {
    const Shares solved = solver.solve(s);
    CHECK(std::vector(solved.rate.begin(), solved.rate.begin() + 6) ==
          std::vector<double>{1, 4.5, 4.5, 2, 7, 98});
    CHECK(std::vector(solved.holder.begin(), solved.holder.begin() + 6) ==
          std::vector<std::uint32_t>{Shares::kLimit, 0, 0, Shares::kLimit, Shares::kLimit, 1});
  };
  check();
  s.capacity.resize(130, 1);  // the same in a heap
  check();
  s.limit[2] = 4;
  CHECK(solver.solve(s).rate[2] == 4);
  CHECK(solver.solve(s).rate[1] == 5);
  s.limit[4] = none;
  CHECK_THROWS_AS(solver.solve(s), Error);
  s.capacity.resize(2);
  CHECK_THROWS_AS(solver.solve(s), Error);
}

// Above 128 links and flows the solver keeps them in a heap.
TEST_CASE("the rates on many links equal those of a brute-force solver, with and without a cap") {
  Draw draw(11);
  MaxMin solver;
  int capped = 0, held = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint32_t links = 120 + draw(60), flows = 1 + draw(80);
    std::vector<double> capacity(links);
    for (double& c : capacity) c = 1 + draw(100);
    Routes routes(flows);
    for (auto& route : routes) route = draw.route(links, 40);
    const double cap = trial % 3 > 0 ? 1 + draw(20) : 0;
    const std::vector<double> wanted = brute_force_rates(capacity, routes, cap);
    const Shares solved = solver.solve(sharing(capacity, routes, cap));
    for (std::uint32_t f = 0; f < flows; ++f) {
      REQUIRE(solved.rate[f] == Approx(wanted[f]).epsilon(1e-9));
      REQUIRE((solved.holder[f] == Shares::kLimit) == (cap > 0 && wanted[f] > cap * (1 - 1e-9)));
      ++(solved.holder[f] == Shares::kLimit ? capped : held);
    }
  }
  CHECK(capped > 100);
  CHECK(held > 100);
}

TEST_CASE("a link of no capacity stops its flows, on few links and on many") {
  for (const std::size_t links : {2u, 129u}) {
    std::vector<double> capacity(links, 4);
    capacity[0] = 0;
    CHECK(rates(capacity, {{0, 1}, {1}, {1}}) == std::vector<double>{0, 2, 2});
  }
}
