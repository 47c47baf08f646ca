// Flows of one route: they end as flows that are kept one by one, and share links as these do.
#include "simulator/contention/alike_flows.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/flow_time.hpp"
#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using Flow = IncrementalMaxMin::Flow;
using Route = std::vector<IncrementalMaxMin::Link>;

std::vector<Flow> in_order(const AlikeFlows& alike) {
  std::vector<Flow> flows;
  alike.each([&](Flow flow, double, Time) { flows.push_back(flow); });
  return flows;
}

// Adds some to the flows that one of them stands for, or takes some away.
void change_count(IncrementalMaxMin& shares, Draw& draw, Flow flow, int& count) {
  const int more = draw(2) == 0 ? 1 + static_cast<int>(draw(4))
                                : -static_cast<int>(draw(static_cast<std::uint32_t>(count)));
  if (more == 0) return;
  shares.stand_for(flow, more);
  count += more;
}

void check_counts(std::uint32_t seed, std::uint32_t changes, double cap) {
  Draw draw(seed);
  const std::uint32_t links = 2 + draw(20);
  std::vector<double> capacity(links);
  for (double& c : capacity) c = 1 + draw(1000);
  IncrementalMaxMin shares(capacity, cap);
  std::map<Flow, int> flowing;  // and for how many each stands
  for (int step = 0; step < 60; ++step) {
    for (std::uint32_t k = 0; k <= draw(changes); ++k) {
      if (draw(3) == 0 || flowing.empty()) {
        const Flow flow = shares.add(draw.route(links, 4));
        shares.start(flow);
        flowing[flow] = 1;
        continue;
      }
      auto some = flowing.begin();
      std::advance(some, draw(static_cast<std::uint32_t>(flowing.size())));
      if (draw(3) > 0) {
        change_count(shares, draw, some->first, some->second);
      } else {
        shares.stop(some->first);
        flowing.erase(some);
      }
    }
    shares.settle();
    Routes routes;
    for (const auto& [flow, count] : flowing)
      for (int k = 0; k < count; ++k)
        routes.emplace_back(shares.route(flow).begin(), shares.route(flow).end());
    const std::vector<double> wanted = brute_force_rates(capacity, routes, cap);
    std::size_t at = 0;
    for (const auto& [flow, count] : flowing) {
      INFO("seed " << seed << ", step " << step << ", flow " << flow << " for " << count);
      REQUIRE(shares.rate(flow) == Approx(wanted[at]).epsilon(1e-9));
      at += static_cast<std::size_t>(count);
    }
  }
}

}  // namespace

TEST_CASE("flows of one route end in order of the bytes that are left") {
  AlikeFlows alike;
  CHECK(alike.empty());
  alike.join(7, 100, 0_ps);
  alike.set_rate(2, 0_ps);
  CHECK(alike.end() == 50_ps);
  alike.join(8, 10, 10_ps);  // of 7, 80 bytes are left
  CHECK((alike.first() == 8 && alike.end() == 15_ps));
  alike.join(9, 10, 10_ps);  // as many as 8 has: after it
  alike.join(6, 80, 10_ps);  // as many as 7 has
  alike.join(5, 40, 10_ps);
  CHECK(in_order(alike) == std::vector<Flow>{8, 9, 5, 7, 6});
  alike.set_rate(1, 15_ps);
  CHECK((alike.first() == 8 && alike.end() == 15_ps));
  alike.pop();
  CHECK((alike.first() == 9 && alike.end() == 15_ps));
  alike.pop();
  CHECK((alike.first() == 5 && alike.end() == 45_ps));
  alike.set_rate(0, 20_ps);
  CHECK(alike.end() == Time::max());
  alike.set_rate(5, 30_ps);  // 25 bytes are left
  CHECK(alike.end() == 35_ps);
}

TEST_CASE("flows of one route end as if each were kept by itself") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed);
    AlikeFlows alike;
    std::map<Flow, double> left;
    double rate = 0;
    Flow next = 0;
    for (Time now{}; now < Time{40'000}; now += Time{1 + draw(500)}) {
      const Time before = alike.empty() ? now : alike.since();
      for (auto& [flow, bytes] : left) bytes -= rate * picoseconds(now - before);
      if (alike.empty()) rate = 0;
      if (draw(2) == 0 || alike.empty()) {
        left[next] = draw(4) == 0 ? 4096 : 1 + draw(100'000);
        alike.join(next, left[next], now);
        ++next;
      } else {
        rate = 0.25 * (1 + draw(40));
        alike.set_rate(rate, now);
      }
      while (!alike.empty() && alike.end() <= now) {
        REQUIRE(left[alike.first()] <= 1e-6 + rate);
        left.erase(alike.first());
        alike.pop();
      }
      REQUIRE(alike.size() == left.size());
      alike.each([&](Flow flow, double bytes, Time) {
        REQUIRE(bytes == Approx(left.at(flow)).margin(1e-6));
      });
    }
  }
}

TEST_CASE("incremental max-min: a flow that stands for several has the rate of each") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    check_counts(seed, 3, 0);
    check_counts(1000 + seed, 40, 0);
    check_counts(2000 + seed, 8, 20);
  }
  IncrementalMaxMin shares({12, 100}, 0);
  const Flow three = shares.add(Route{0, 1}), one = shares.add(Route{0});
  shares.start(three);
  shares.stand_for(three, 2);
  shares.settle();
  CHECK(shares.rate(three) == 4);
  shares.start(one);
  shares.settle();
  CHECK((shares.rate(three) == 3 && shares.rate(one) == 3));
  CHECK(shares.alike(Route{0, 1}) == three);
  CHECK(shares.alike(Route{0}) == one);
  CHECK(shares.alike(Route{1}) == IncrementalMaxMin::kNoFlow);
  shares.stand_for(three, -2);
  shares.settle();
  CHECK((shares.rate(three) == 6 && shares.rate(one) == 6));
}
