// Hypercube: 2^d hosts, connected if their numbers differ in one bit: a torus of d dimensions of
// size two. Seitz, The cosmic cube, CACM 28(1), 1985.
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/grid.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

constexpr std::int32_t kMax = 22;

void fit(Settings& settings, Rank hosts) { settings.choose("d", std::max(1, ceil_log2(hosts))); }

Topology make(const Settings& settings) {
  const std::int32_t d = settings.count("d");
  if (d > kMax)
    fail(Blame::usage, "hypercube: d '" + std::to_string(d) + "' is too large: give 1 to " +
                           std::to_string(kMax));
  return make_grid(settings.spec(),
                   {std::vector<std::int32_t>(static_cast<std::size_t>(d), 2), true},
                   settings.bandwidth("bandwidth"), settings.time("latency"));
}

}  // namespace

TopologyKind hypercube() {
  using Unit = Parameter::Unit;
  return {
      .name = "hypercube",
      .summary = "2^d hosts, joined where their numbers differ in one bit",
      .source = "Seitz 1985",
      .parameters = {{"d", Unit::count, "4", "dimensions"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
