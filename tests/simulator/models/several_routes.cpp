// Messages over several routes: against what balls that are thrown into bins do.
#include <algorithm>
#include <random>

#include "algorithms/base/text.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::simulator;
using collectives::contains;

namespace {

constexpr Rank kLeafHosts = 64;  // of a leaf, and as many spines

// Each rank of one leaf sends its vector to another one of the other leaf.
Program to_other_leaf(Problem p, Rank me) {
  const Rank half = p.ranks / 2;
  const Rank peer = me < half ? half + (me * 5 + 3) % half : (13 * (me + half - 3)) % half;
  if (me < half)
    co_yield send(peer, p.all());
  else
    co_yield replace(peer, p.all());
}

// How much longer than alone each sender takes, apart from latency.
std::vector<double> slowdowns(const std::string& routing, std::uint64_t seed = 0) {
  Algorithm algorithm;
  algorithm.name = "to_other_leaf";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = to_other_leaf;
  const Bytes bytes = 125'000'000;
  const auto network =
      make_network(find_model("fluid"), {}, 2 * kLeafHosts,
                   {.topology = concat("leaf_spine:leaves=2,hosts=", kLeafHosts,
                                       ",spines=", kLeafHosts, ",bandwidth=1GB/s,latency=0"),
                    .routing = routing,
                    .seed = seed});
  const SimulationResult result =
      simulate(algorithm, {.ranks = 2 * kLeafHosts, .elements = bytes}, 1, *network, {});
  std::vector<double> all;
  for (Rank r = 0; r < kLeafHosts; ++r)
    all.push_back(picoseconds(result.finish_of[index(r)]) / 125e9);
  return all;
}

double mean_rate(const std::vector<double>& slower) {
  double sum = 0;
  for (const double s : slower) sum += 1 / s;
  return sum / static_cast<double>(slower.size());
}

// The most of n k balls in one of n bins, by k, on average.
double most_in_a_bin(int n, int k) {
  std::mt19937 random(7);
  constexpr int kTrials = 400;
  double sum = 0;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<int> bins(static_cast<std::size_t>(n));
    for (int b = 0; b < n * k; ++b) ++bins[random() % bins.size()];
    sum += *std::max_element(bins.begin(), bins.end());
  }
  return sum / kTrials / k;
}

}  // namespace

TEST_CASE("on a non-blocking network, spray runs any permutation at the rate of the links") {
  for (const double slower : slowdowns("spray")) CHECK(slower == Approx(1).epsilon(1e-9));
}

TEST_CASE("one flow per message: as many links stay empty as bins of n balls") {
  double rate = 0, longest = 0;
  constexpr int kSeeds = 30;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> slower = slowdowns("ecmp", seed);
    rate += mean_rate(slower) / kSeeds;
    longest += *std::max_element(slower.begin(), slower.end()) / kSeeds;
  }
  CHECK(rate == Approx(1 - std::pow(1 - 1. / kLeafHosts, kLeafHosts)).epsilon(0.03));  // 63.5%
  CHECK(longest == Approx(most_in_a_bin(kLeafHosts, 1)).epsilon(0.08));
}

TEST_CASE("more flows per message tend to spray") {
  for (const int flows : {4, 16, 64}) {
    double longest = 0;
    constexpr int kSeeds = 6;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::vector<double> slower = slowdowns(concat("ecmp:flows=", flows), seed);
      longest += *std::max_element(slower.begin(), slower.end()) / kSeeds;
    }
    CAPTURE(flows);
    CHECK(longest == Approx(most_in_a_bin(kLeafHosts, flows)).epsilon(0.12));
  }
}

TEST_CASE("where there is one route, flows and spray change nothing") {
  const Algorithm& ring = find_algorithm("ring");
  const auto finish = [&](const char* routing, int segments) {
    const auto network = make_network(find_model("fluid"), {}, 8,
                                      {.topology = "crossbar:hosts=8", .routing = routing});
    return simulate(ring, {.ranks = 8, .elements = 1 << 20}, 4, *network, {.segments = segments})
        .finish;
  };
  for (const int segments : {1, 4}) {
    CHECK(finish("spray", segments) == finish("automatic", segments));
    const double several = picoseconds(finish("ecmp:flows=4", segments));
    CHECK(several == Approx(picoseconds(finish("automatic", segments))).epsilon(1e-9));
  }
}

TEST_CASE("models that send a message over one route refuse several") {
  for (const char* model : {"packet", "connections"})
    for (const char* routing : {"spray", "ecmp:flows=2"}) {
      const FabricSpec spec{.topology = "leaf_spine", .routing = routing};
      CHECK_THAT(error_text(Blame::usage, [&] { make_network(find_model(model), {}, 8, spec); }),
                 contains("over one route"));
    }
}
