// The packet model at its limits: it converges to fluid for small packets and never deadlocks.
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Time finish(const char* model, const Algorithm& algorithm, const Problem& p, const FabricSpec& spec,
            const Values& values = {}) {
  const auto network = make_network(find_model(model), values, p.ranks, spec);
  return simulate(algorithm, p, 1, *network).finish;
}

}  // namespace

// With separate queues per message, served in turn, every message gets its max-min fair
// share (Hahne, Round-robin scheduling for max-min fairness in data networks, IEEE JSAC 9(7),
// 1991). The time to fill the path remains, so latencies are zero here: fluid takes a
// route's latency before a message shares any link, while packets use the first links at once.
TEST_CASE("packet converges to fluid with smaller packets, for the whole catalog") {
  constexpr double kElements = 1 << 14, kRanks = 16;
  for (const char* topology : unless_sanitized<const char*>(
           {"torus:dims=4x4,latency=0", "fat_tree:k=4,latency=0",
            "fat_tree:k=8,levels=2,oversubscription=4,latency=0",
            "rail_pod:nodes=2,latency=0,nvlink_latency=0", "dragonfly:latency=0,global_latency=0"},
           {"torus:dims=4x4,latency=0", "rail_pod:nodes=2,latency=0,nvlink_latency=0"}))
    for (const Algorithm& algorithm : algorithms()) {
      const Problem p = grouped(algorithm, {.ranks = 16, .elements = 1 << 14});
      if (!unsupported(algorithm, p).empty()) continue;
      const double message = algorithm.family == "split" ? kElements / kRanks : kElements;
      const auto fluid = picoseconds(finish("fluid", algorithm, p, {.topology = topology}));
      // The relative difference with `packets` packets per message.
      const auto off = [&](double packets) {
        const double mtu = message / packets;
        const Values values{{"mtu", mtu}, {"queue", 4 * mtu}, {"flow_queues", 1}};
        return std::abs(
            picoseconds(finish("packet", algorithm, p, {.topology = topology}, values)) / fluid -
            1);
      };
      const double coarse = off(8), fine = off(128);
      INFO(algorithm.name << " on " << topology << ": " << coarse << ", then " << fine);
      CHECK(fine < 0.05);
      CHECK(fine < std::max(0.015, coarse / 4));  // messages that share a link end in another order
    }
}

// Rings and tori have cycles of links. With shared queues of one packet, messages would wait in a
// cycle if packets did not change the virtual channel.
TEST_CASE("no deadlock on any topology and routing with queues of one packet") {
  struct Case {
    const char *topology, *routing;
  };
  const Case cases[] = {
      {"ring:hosts=12", "automatic"},
      {"torus:dims=12", "shortest"},
      {"torus:dims=4x3", "dimension"},
      {"torus:dims=3x2x2", "ecmp"},
      {"torus:dims=12x1", "dimension"},
      {"hypercube", "ecmp"},
      {"mesh:dims=4x3", "dimension"},
      {"fat_tree:k=4", "ecmp"},
      {"dragonfly", "minimal"},
      {"dragonfly", "valiant"},
      {"rail_pod:nodes=3,gpus=4", "ecmp"},
      {"full_mesh", "automatic"},
  };
  for (const Case& c : cases)
    for (const std::uint64_t seed : {0u, 1u, 2u})
      for (const char* name : {"all_to_all", "round_robin", "ring"}) {
        INFO(name << " on " << c.topology << " " << c.routing << " seed " << seed);
        const FabricSpec spec{.topology = c.topology,
                              .routing = c.routing,
                              .placement = seed == 0 ? "block" : "random",
                              .seed = seed};
        CHECK(finish("packet", find_algorithm(name), {.ranks = 12, .elements = 2000}, spec,
                     {{"mtu", 100}, {"queue", 100}}) > 0_ps);
      }
}
