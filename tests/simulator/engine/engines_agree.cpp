// All engines give equal times: events, the sweep, and symmetry.
#include <map>
#include <string>

#include "simulator/engine/simulate.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct TriedMachine {
  std::string_view model;
  Values values;
};

// Parameters with and without ties, with costs of all kinds, without overhead, and with rendezvous.
const std::vector<TriedMachine> kMachines{
    {"alpha_beta", {}},
    {"alpha_beta", {{"alpha", 1009}, {"beta", 7.3}, {"gamma", 1.7}}},
    {"loggops", {}},
    {"loggops", {{"L", 100}, {"o", 10}, {"g", 0}, {"G", 1}}},
    {"loggops", {{"L", 1009}, {"o", 97}, {"g", 311}, {"G", 2.7}, {"O", 0.9}, {"gamma", 1.3}}},
    {"loggops", {{"L", 5000}, {"o", 0}, {"g", 0}, {"G", 0.5}}},
    {"loggops", {{"L", 500}, {"o", 100}, {"g", 200}, {"G", 1}, {"S", 900}}},
};

// The runs of each engine by algorithm.
using Used = std::map<std::pair<EngineKind, std::string>, int>;

void check_engines(const Algorithm& algorithm, const Problem& p, int segments, Used& used) {
  constexpr Rank kAll = 13;  // up to this number of ranks all machines are tried, above it two
  for (std::size_t m = 0; m < kMachines.size(); ++m) {
    const std::size_t turn = (m + index(p.ranks)) % kMachines.size();
    if (p.ranks > kAll && turn > 1) continue;
    const TriedMachine& machine = kMachines[m];
    const auto outcome = [&](bool symmetry, bool sweep) {
      return run(machine.model, machine.values, algorithm, p, 4,
                 {.segments = segments, .symmetry = symmetry, .sweep = sweep});
    };
    const SimulationResult events = outcome(false, false);
    REQUIRE(events.engine == EngineKind::events);
    for (const bool symmetry : {false, true}) {
      const SimulationResult fast = outcome(symmetry, !symmetry);
      INFO(algorithm.name << " " << name(p.collective) << " by " << name(fast.engine) << " under "
                          << machine.model << " number " << m << ", ranks " << p.ranks
                          << ", elements " << p.elements << ", segments " << segments << ", groups "
                          << (p.groups ? p.groups->count() : 0));
      REQUIRE(fast.finish == events.finish);
      REQUIRE(fast.finish_of == events.finish_of);
      REQUIRE(fast.sent == events.sent);
      ++used[{fast.engine, std::string(algorithm.name)}];
    }
  }
}

void check_catalog(Rank ranks, Count elements, int segments, Used& used) {
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const Collective collective : kCollectives) {
      const Problem p = grouped(
          *algorithm,
          {.collective = collective, .ranks = ranks, .elements = elements, .root = ranks / 2});
      if (segments > 1 && collective != Collective::allreduce) continue;
      if (unsupported(*algorithm, p).empty()) check_engines(*algorithm, p, segments, used);
    }
}

}  // namespace

TEST_CASE("events, sweep and symmetry agree on every P up to 64") {
  Used used;
  for (const Rank ranks : ranks_up_to(kSanitized ? 17 : 64)) {
    check_catalog(ranks, 120 * Count{ranks}, 1, used);  // equal chunks, also in lanes
    if (!kSanitized || ranks % 3 == 2) check_catalog(ranks, 1009, 1, used);
    if (ranks == 7) check_catalog(ranks, 120 * Count{ranks}, 3, used);
  }
  for (const char* algorithm : {"butterfly", "ring", "rabenseifner", "circulant", "swing", "pat",
                                "round_robin", "hierarchical", "recursive_multiplying", "trivance"})
    CHECK(used[{EngineKind::symmetry, algorithm}] > 0);
  for (const char* algorithm : {"butterfly", "ring", "tree", "bine_tree", "chain", "rabenseifner",
                                "circulant", "swing", "pat", "round_robin"})
    CHECK(used[{EngineKind::sweep, algorithm}] > 0);
}

TEST_CASE("events, sweep and symmetry agree on 1,024 ranks") {
  constexpr Count kMostMessages = 50'000;
  Used used;
  for (const Algorithm& algorithm : algorithms()) {
    const Problem p = grouped(algorithm, {.ranks = 1024, .elements = 1024 * 16});
    if (unsupported(algorithm, p).empty() && predicted_cost(algorithm, p).messages <= kMostMessages)
      check_engines(algorithm, p, 1, used);
  }
  CHECK(used[{EngineKind::symmetry, "rabenseifner"}] > 0);
  CHECK(used[{EngineKind::sweep, "tree"}] > 0);
}

// The last subtree is not full, so that it ends together with smaller ones of other shapes.
TEST_CASE("a sweep orders messages that leave and arrive together as events do") {
  for (const Rank ranks : {100, 331, 1000, 3000}) {
    for (const char* name : {"tree", "bine_tree", "circulant"}) {
      const Algorithm& algorithm = find_algorithm(name);
      const Problem p{.ranks = ranks, .elements = 1024};
      const SimulationResult events =
          run("loggops", {}, algorithm, p, 4, {.symmetry = false, .sweep = false});
      const SimulationResult swept =
          run("loggops", {}, algorithm, p, 4, {.symmetry = false, .sweep = true});
      INFO(name << " on " << ranks);
      CHECK(swept.engine == EngineKind::sweep);
      CHECK(swept.finish_of == events.finish_of);
    }
  }
}

// Rank 0's first round ends at 130 ps. There the message of rank 1 arrives and occupies the
// processor until 140 ps, after that of rank 2, which was received until 120 ps.
TEST_CASE(
    "a round that finds its messages received ends with the last of them, in listed order or not") {
  for (const bool turned : {false, true}) {
    Algorithm late = tried(nullptr);
    late.program = [=](Problem p, Rank me) -> Program {
      if (me == 0) {
        const Rank first = turned ? 2 : 1;
        co_yield replace(3, p.all());
        co_yield together(replace(first, p.all()), replace(3 - first, p.all()));
      }
      if (me == 1) {
        co_yield send(4, p.all());
        co_yield send(4, p.all());
      }
      if (me == 3) co_yield send(4, p.all());
      if (me >= 1 && me <= 3) co_yield send(0, p.all());
      if (me == 4)
        for (const Rank source : {1, 1, 3}) co_yield replace(source, p.all());
    };
    for (const bool sweep : {false, true}) {
      const SimulationResult result =
          run("loggops", {{"L", 100}, {"o", 10}, {"g", 0}, {"G", 0}, {"gamma", 0}}, late,
              {.ranks = 5, .elements = 1}, 4, {.sweep = sweep});
      CHECK(result.engine == (sweep ? EngineKind::sweep : EngineKind::events));
      CHECK(result.finish_of[0] == 140_ps);
      CHECK(result.finish_of[1] == 30_ps);
    }
  }
}

TEST_CASE("ports are not swept if the two ends of a message name different sizes") {
  Algorithm uneven = tried([](Problem p, Rank me) -> Program {
    if (me == 0) co_yield send(1, p.chunk(0));
    if (me == 1) co_yield replace(0, p.chunk(1));
  });
  const Values values{{"alpha", 10}, {"beta", 1}};
  const Problem p{.ranks = 2, .elements = 3};  // chunks of two elements and of one
  CHECK(run("alpha_beta", values, uneven, p).engine == EngineKind::events);
  CHECK(run("alpha_beta", values, uneven, {.ranks = 2, .elements = 4}).engine == EngineKind::sweep);
}
