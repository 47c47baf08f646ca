// Rounds that repeat the ones before them are skipped, with the times, messages, and loads of all
// events.
#include "simulator/engine/repeated_rounds.hpp"

#include <map>
#include <string>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/time.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// 4 leaves of hosts with two links to spines: neighbors of a ring are on different leaves.
FabricSpec leaves(Rank ranks) {
  return {.topology = "fat_tree:down=" + std::to_string(ranks / 4) + "x4,up=1x2",
          .placement = "cyclic"};
}

struct Pair {
  SimulationResult events, fast;
};

Pair check(const Algorithm& algorithm, const Problem& p, const FabricSpec& fabric,
           const Values& values = {}, int segments = 1, std::span<const Time> starts = {}) {
  INFO(algorithm.name << " on " << p.ranks << ", " << p.elements << " elements, " << fabric.topology
                      << " " << fabric.placement << ", segments " << segments);
  const auto all = make_network(find_model("fluid"), values, p.ranks, fabric),
             some = make_network(find_model("fluid"), values, p.ranks, fabric);
  const Pair result{
      simulate(algorithm, p, 4, *all,
               {.segments = segments, .symmetry = false, .sweep = false, .starts = starts}),
      simulate(algorithm, p, 4, *some,
               {.segments = segments, .symmetry = false, .starts = starts})};
  REQUIRE(result.events.engine == EngineKind::events);
  REQUIRE(result.fast.finish == result.events.finish);
  REQUIRE(result.fast.finish_of == result.events.finish_of);
  REQUIRE(result.fast.sent == result.events.sent);
  const auto expected = all->loads(result.events.finish), loads = some->loads(result.fast.finish);
  for (std::size_t l = 0; l < loads.size(); ++l) REQUIRE(loads[l].bytes == expected[l].bytes);
  return result;
}

const Values kCosts{{"gamma", 3.7}, {"envelope", 33}, {"flow_beta", 90}};

}  // namespace

TEST_CASE("a ring that shares links repeats its rounds") {
  const Problem p{.ranks = 64, .elements = 64 * 100};
  for (const Values& values : {Values{}, kCosts}) {
    const Pair ring = check(find_algorithm("ring"), p, leaves(64), values);
    CHECK(ring.fast.engine == EngineKind::periods);
    CHECK(ring.fast.events * 3 < ring.events.events);
  }
}

TEST_CASE("a ring falls into step after ranks that begin late") {
  const Problem p{.ranks = 32, .elements = 32 * 100};
  std::vector<Time> starts(32);
  starts[5] = 3_us;
  starts[6] = 1_ns;
  const Pair ring = check(find_algorithm("ring"), p, leaves(32), {}, 1, starts);
  CHECK(ring.fast.engine == EngineKind::periods);
}

// The hops between leaves are longer. What they add to a rank's time comes back after all hops of a
// leaf, since each rank waits for the one before it.
TEST_CASE("a ring of unlike hops repeats its rounds leaf by leaf") {
  for (const Rank ranks_of_leaf : {8, 16}) {
    const Rank ranks = ranks_of_leaf * 16;
    const std::string down = std::to_string(ranks_of_leaf);
    const FabricSpec fabric{.topology = "fat_tree:down=" + down + "x16,up=1x" + down};
    for (const int segments : {2, 3}) {  // one lane alone shares no link
      const Problem p{.ranks = ranks, .elements = Count{ranks} * 50 * segments};
      const Pair ring = check(find_algorithm("ring"), p, fabric, {}, segments);
      CHECK(ring.fast.engine == EngineKind::periods);
      CHECK(ring.fast.events * 3 < ring.events.events * 2);
    }
  }
}

TEST_CASE("lanes of a ring repeat their rounds together") {
  const Problem p{.ranks = 32, .elements = 32 * 300};
  CHECK(check(find_algorithm("ring"), p, leaves(32), {}, 3).fast.engine == EngineKind::periods);
}

TEST_CASE("messages of different sizes, and other peers in each round, repeat nothing") {
  const Problem uneven{.ranks = 32, .elements = 32 * 100 + 17}, even{.ranks = 32, .elements = 3200};
  CHECK(check(find_algorithm("ring"), uneven, leaves(32)).fast.engine == EngineKind::events);
  CHECK(check(find_algorithm("round_robin"), even, leaves(32)).fast.engine == EngineKind::events);
}

TEST_CASE("skipped rounds over the catalog") {
  std::map<std::string, int> skipped;
  const FabricSpec fabrics[] = {{.topology = "ring", .placement = "random"},
                                {.topology = "torus", .placement = "random"},
                                {.topology = "dragonfly", .placement = "cyclic"},
                                {.topology = "rail_pod", .placement = "cyclic"},
                                leaves(32)};
  for (const FabricSpec& fabric : fabrics)
    for (const Algorithm& algorithm : algorithms()) {
      const Problem p = grouped(algorithm, {.ranks = 32, .elements = 32 * 20});
      if (!unsupported(algorithm, p).empty()) continue;
      const Pair pair = check(algorithm, p, fabric);
      skipped[std::string(algorithm.name)] += pair.fast.engine == EngineKind::periods;
    }
  CHECK(skipped["ring"] > 0);
  CHECK(skipped["tree"] == 0);
}

TEST_CASE("a skip ends with the simulation that has passed the latest time") {
  const Problem p{.ranks = 64, .elements = 64 * 100};
  const Algorithm& ring = find_algorithm("ring");
  const auto network = [&] { return make_network(find_model("fluid"), {}, 64, leaves(64)); };
  const Time finish = simulate(ring, p, 4, *network(), {.symmetry = false}).finish;
  for (const Time latest : {finish / 2, finish - Time{1}, finish, finish + Time{1}}) {
    const auto made = network();
    const SimulationResult result =
        simulate(ring, p, 4, *made, {.symmetry = false, .latest = latest});
    CHECK(result.stopped == (latest < finish));
    if (!result.stopped) CHECK(result.finish == finish);
  }
}

TEST_CASE("a program without an end meets its limit while its rounds are skipped") {
  Algorithm endless = find_algorithm("ring");
  endless.symmetry = nullptr;
  endless.program = [](Problem p, Rank me) -> Program {
    for (;;)
      co_yield together(send(p.wrap(Count{me} + 1), p.chunk(0)),
                        replace(p.wrap(Count{me} - 1), p.chunk(0)));
  };
  const Problem p{.ranks = 32, .elements = 3200};
  const auto network = make_network(find_model("fluid"), {}, 32, leaves(32));
  CHECK_THROWS_AS(simulate(endless, p, 4, *network), Error);
}

// Ranks 0 and 1 send 100 messages across the middle of a line. Then rank 0 sends three more, which
// rank 2 receives in one round: 103 rounds, of which rank 0 alone has seen all.
TEST_CASE("a rank that only sends keeps the depth of its skipped rounds") {
  const auto streams = tried([](Problem p, Rank me) -> Program {
    for (int i = 0; i < 100; ++i)
      if (me < 2)
        co_yield send(me + 2, p.all());
      else
        co_yield replace(me - 2, p.all());
    for (int i = 0; i < 3 && me == 0; ++i) co_yield send(2, p.chunk(i));
    if (me == 2)
      co_yield together(replace(0, p.chunk(0)), replace(0, p.chunk(1)), replace(0, p.chunk(2)));
  });
  const Pair pair = check(streams, {.ranks = 4, .elements = 400}, {.topology = "mesh:dims=4"});
  CHECK(pair.fast.engine == EngineKind::periods);
  CHECK(pair.fast.sent.rounds == 103);
}
