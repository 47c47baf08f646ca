// Weighted trees on a switch whose hosts have links of unequal speed.
#include <string>

#include "simulator/bounds/network_bounds.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Hosts on one switch, each with links of its own rate in both directions.
std::shared_ptr<const Fabric> star_of_rates(const std::vector<int>& rates) {
  const auto ranks = static_cast<Rank>(rates.size());
  TopologyBuilder builder("star", ranks, 1, 2. * ranks);
  std::vector<Rank> hosts;
  for (Rank r = 0; r < ranks; ++r) hosts.push_back(builder.add_host("h" + std::to_string(r)));
  const NodeId center = builder.add_switch("center", 1);
  for (const Rank r : hosts)
    builder.add_cable(r, center, {.bandwidth = 1e9 * rates[index(r)], .latency = Time{500'000}});
  return std::make_shared<const Fabric>(
      Fabric{std::move(builder).build(), Routing::automatic, 0, std::move(hosts)});
}

struct WeightedRun {
  double microseconds = 0, of_bound = 0;
};

WeightedRun run_weighted(const std::vector<int>& rates, Bytes bytes) {
  const auto fabric = star_of_rates(rates);
  std::string spec = "weighted:rates=";
  for (const int rate : rates) spec += std::to_string(rate) + "x";
  spec.pop_back();
  const auto ranks = static_cast<Rank>(rates.size());
  const Problem p{.ranks = ranks, .elements = bytes / 4};
  const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
  const double time = microseconds(simulate(find_algorithm(spec), p, 4, *network).finish);
  const NetworkBounds bounds = network_bounds(fabric->topology, fabric->host_of);
  return {time, least_microseconds(bounds, p, 4) / time};
}

}  // namespace

TEST_CASE("one NIC of 16 at half its speed costs 10%, not twice the time") {
  std::vector<int> rates(16, 12);
  const WeightedRun whole = run_weighted(rates, Bytes{1} << 30);
  rates[5] = 6;
  const WeightedRun slow = run_weighted(rates, Bytes{1} << 30);
  CHECK(slow.microseconds < 1.1 * whole.microseconds);
  CHECK(slow.of_bound > 0.94);
  CHECK(slow.of_bound <= 1);
}

namespace {

// Integers from `least` on, `count` different ones, from a linear congruential generator.
int draw(std::uint32_t& random, int least, int count) {
  random = random * 747796405u + 2891336453u;
  return least + static_cast<int>((random >> 8) % static_cast<std::uint32_t>(count));
}

std::vector<int> random_rates(Rank ranks, std::uint32_t& random, int least, int count) {
  std::vector<int> rates;
  for (Rank r = 0; r < ranks; ++r) rates.push_back(draw(random, least, count));
  return rates;
}

}  // namespace

// The first is the case that took 1.35 times the bound with owners of unequal shares.
TEST_CASE("random rates: within 5% of the bound from 64 MiB") {
  const WeightedRun worst = run_weighted({9, 4, 8, 8, 9, 4, 6, 4}, Bytes{1} << 30);
  CHECK(worst.of_bound > 0.95);
  std::uint32_t random = 7;
  for (const Rank ranks : {2, 3, 5, 8, 13, 20}) {
    std::vector<int> rates = random_rates(ranks, random, 3, 10);
    if (ranks % 2 == 1) rates[0] = 1;
    const WeightedRun outcome = run_weighted(rates, Bytes{64} << 20);
    INFO(ranks << " ranks: " << outcome.of_bound);
    CHECK(outcome.of_bound > 0.95);
    CHECK(outcome.of_bound <= 1 + 1e-9);
  }
}

// The claim of docs/simulation.md; minutes.
TEST_CASE("random rates on 2 to 64 ranks: within 6% of the bound", "[.random_rates]") {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    std::uint32_t random = seed;
    for (int i = 0; i < 24; ++i) {
      const auto ranks = static_cast<Rank>(draw(random, 2, 63));
      const std::vector<int> rates = random_rates(ranks, random, 1, 16);
      const Bytes bytes = Bytes{64} << 20 << 2 * draw(random, 0, 3);
      const WeightedRun outcome = run_weighted(rates, bytes);
      INFO("seed " << seed << ", " << ranks << " ranks, " << bytes
                   << " bytes: " << outcome.of_bound);
      CHECK(outcome.of_bound > 0.94);
      CHECK(outcome.of_bound <= 1 + 1e-9);
    }
  }
}
