// maxmin against cases solved by hand, and against its definition on random ones.
#include "simulator/maxmin.hpp"

#include <algorithm>
#include <random>

#include "tests/catch.hpp"

using namespace arlab;

namespace {

std::vector<double> rates(const std::vector<double>& capacity,
                          const std::vector<std::vector<std::uint32_t>>& routes, double cap = 0) {
  Sharing s{.capacity = capacity, .begin = {0}, .links = {}, .cap = cap};
  for (const auto& route : routes) {
    s.links.insert(s.links.end(), route.begin(), route.end());
    s.begin.push_back(static_cast<std::uint32_t>(s.links.size()));
  }
  MaxMin solver;
  const auto solved = solver.solve(s).rate;
  return {solved.begin(), solved.end()};
}

}  // namespace

TEST_CASE("max-min shares solved by hand") {
  using Rates = std::vector<double>;
  CHECK(rates({10}, {{0}}) == Rates{10});
  CHECK(rates({12}, {{0}, {0}, {0}}) == Rates{4, 4, 4});
  // One long flow over both links, one short flow on each: the long one is held by the narrow link.
  CHECK(rates({10, 4}, {{0, 1}, {0}, {1}}) == Rates{2, 8, 2});
  // Bertsekas & Gallager's kind of chain: the second link fills first, then the third, then the
  // first.
  CHECK(rates({9, 2, 6}, {{0, 1}, {1, 2}, {2}, {0}}) == Rates{1, 1, 5, 8});
  CHECK(rates({10, 4}, {{0, 1}, {0}, {1}}, 3) == Rates{2, 3, 2});
  CHECK(rates({10}, {{0}, {}}, 3) == Rates{3, 3});
  CHECK(rates({10}, {}).empty());
}

TEST_CASE(
    "random networks: no link is over full, and every flow is held by a full link that favours "
    "nobody") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const auto draw = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(random()) % below;
    };
    const std::uint32_t links = 1 + draw(12), flows = 1 + draw(30);
    std::vector<double> capacity(links);
    for (double& c : capacity) c = 1 + draw(100);
    std::vector<std::vector<std::uint32_t>> routes(flows);
    for (auto& route : routes) {
      for (std::uint32_t l = 0; l < links; ++l)
        if (draw(3) == 0) route.push_back(l);
      if (route.empty()) route.push_back(draw(links));
    }
    const std::vector<double> solved = rates(capacity, routes);
    std::vector<double> load(links), most(links);
    for (std::uint32_t f = 0; f < flows; ++f)
      for (const std::uint32_t l : routes[f]) {
        load[l] += solved[f];
        most[l] = std::max(most[l], solved[f]);
      }
    for (std::uint32_t l = 0; l < links; ++l) REQUIRE(load[l] <= capacity[l] * (1 + 1e-9));
    for (std::uint32_t f = 0; f < flows; ++f)
      REQUIRE(std::any_of(routes[f].begin(), routes[f].end(), [&](std::uint32_t l) {
        return load[l] >= capacity[l] * (1 - 1e-9) && solved[f] >= most[l] * (1 - 1e-9);
      }));
  }
}
