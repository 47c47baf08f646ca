// Claims about the load of links: the catalog's closed forms beside the simulator's counts.
#include <algorithm>
#include <map>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr Count kElements = 46'080;  // each P below divides it often enough
constexpr Bytes kElement = 4;

struct Loads {
  double hottest = 0, each_round = 0, all = 0;  // in multiples of N

  double of(LinkClaim::Of what) const {
    return what == LinkClaim::Of::all          ? all
           : what == LinkClaim::Of::each_round ? each_round
                                               : hottest;
  }
};

// Routes the messages of each round, and sums what the hottest link of each round carries. Ranks of
// these algorithms keep pace: round k of all ranks takes place at the same time.
double by_rounds(const Algorithm& algorithm, const Problem& p, const std::string& topology) {
  const Topology made = make_topology(topology, p.ranks);
  Router router(made);
  std::map<Count, std::map<LinkId, Count>> carried;
  for (Rank me = 0; me < p.ranks; ++me) {
    Count round = 0;
    for (Program program = algorithm.program(p, me); program.next(); ++round)
      for (const Action& a : program.round())
        if (a.sends())
          for (const LinkId link : router.route(me, a.peer))
            carried[round][link] += p.blocks().size(a.chunks);
  }
  double sum = 0;
  for (const auto& [round, links] : carried) {
    Count most = 0;
    for (const auto& [link, elements] : links) most = std::max(most, elements);
    sum += static_cast<double>(most) / static_cast<double>(p.elements);
  }
  return sum;
}

Loads simulated(const Algorithm& algorithm, const Problem& p, const std::string& topology) {
  const auto network = make_network(find_model("fluid"), {}, p.ranks, {.topology = topology});
  const Time finish = simulate(algorithm, p, kElement, *network).finish;
  Loads loads;
  for (const LinkLoad& link : network->loads(finish)) {
    const double part = link.bytes / static_cast<double>(kElement * p.elements);
    loads.hottest = std::max(loads.hottest, part);
    loads.all += part;
  }
  if (!algorithm.lane_weights) loads.each_round = by_rounds(algorithm, p, topology);
  return loads;
}

}  // namespace

TEST_CASE("links of a ring carry what the catalog claims") {
  int claims = 0;
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const LinkClaim& claim : algorithm->link_claims)
      for (const Rank ranks : {3, 4, 6, 8, 16, 64}) {
        if (claim.network != "ring") continue;
        const Problem p{.ranks = ranks, .elements = kElements};
        const double claimed = claim.load(p);
        if (claimed == 0) continue;
        ++claims;
        INFO(algorithm->name << " on " << ranks << ": " << claim.formula);
        const Loads loads = simulated(*algorithm, p, "ring:hosts=" + std::to_string(ranks));
        CHECK(loads.of(claim.of) == Approx(claimed).epsilon(1e-3));
        CHECK(loads.hottest < claimed * 1.001);
      }
  CHECK(claims >= 35);
}

TEST_CASE("links of a torus carry what the catalog claims") {
  int claims = 0;
  for (const std::vector<Rank>& sizes :
       {std::vector<Rank>{4, 4}, {3, 3}, {3, 3, 3}, {4, 2}, {8, 8}, {5}})
    for (const Algorithm& algorithm : algorithms())
      for (const LinkClaim& claim : algorithm.link_claims) {
        if (claim.network != "torus") continue;
        const RankGrid* const grid = kept_grid(sizes);
        const Problem p{.ranks = grid->ranks(), .elements = 48 * 1080, .grid = grid};
        const double claimed = claim.load(p);
        if (claimed == 0) continue;
        ++claims;
        INFO(algorithm.name << " on " << grid->text());
        CHECK(simulated(algorithm, p, "torus:dims=" + grid->text()).of(claim.of) ==
              Approx(claimed).epsilon(1e-3));
      }
  CHECK(claims == 7);
}

TEST_CASE("link loads of the literature: Swing halves what far partners cost") {
  const auto claimed = [](const char* spec, Rank ranks) {
    return find_algorithm(spec).link_claims.at(0).load({.ranks = ranks, .elements = 1});
  };
  CHECK(claimed("swing", 8) == Approx(2.0));
  CHECK(claimed("swing", 16) == Approx(2.375));
  CHECK(claimed("swing", 64) == Approx(3.094).epsilon(1e-3));
  CHECK(claimed("rabenseifner", 8) == Approx(3));
  CHECK(claimed("rabenseifner", 64) == Approx(6));
  CHECK(claimed("rabenseifner:far=yes", 64) == Approx(42.7).epsilon(2e-3));
  const Problem square{.ranks = 256, .elements = 1, .grid = kept_grid({16, 16})};
  CHECK(find_algorithm("rabenseifner").link_claims.at(1).load(square) == Approx(4.25));
  // Sums of ring distances of the edges of one tree, up and down.
  CHECK(claimed("bine_tree", 8) == Approx(2 * 9));
  CHECK(claimed("bine_tree", 16) == Approx(2 * 23));
  CHECK(claimed("bine_tree", 64) == Approx(2 * 135));
  CHECK(claimed("bine_tree", 1024) == Approx(2 * 3527));
  CHECK(claimed("tree", 1024) == Approx(2 * 5120));
}
