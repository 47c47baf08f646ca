// Ethernet racks: hosts on a top-of-rack switch, racks connected by spine switches; 10, 25 or 100
// GbE.
//
// A rack has the size that one switch of a common product line serves. 10 GbE: 48 hosts and 4 up
// links of 40 GbE (Arista 7050SX-64, 3:1); 25 GbE: 48 hosts and 8 up links of 100 GbE (Arista
// 7050SX3-48YC8, 1.5:1); 100 GbE: 24 of 32 ports for hosts and 8 up (Arista 7050CX3-32S, 3:1). Each
// up link goes to a different spine. Latency per switch: 600 ns in cut-through (7050X data sheet,
// 550 to 650 ns), 800 ns (7050X3 data sheet). Every link has this latency, also the link into the
// host.
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/tree.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

struct Rack {
  std::int32_t speed;  // Gbit/s of a host
  std::int32_t hosts, uplinks;
  std::int32_t up_speed;
  Time latency;
};
constexpr Rack kRacks[] = {{10, 48, 4, 40, 600 * kNanosecond},
                           {25, 48, 8, 100, 800 * kNanosecond},
                           {100, 24, 8, 100, 800 * kNanosecond}};

const Rack& find_rack(const Settings& settings) {
  const std::int32_t speed = settings.count("speed");
  for (const Rack& rack : kRacks)
    if (rack.speed == speed) return rack;
  fail(Blame::usage, "ethernet_racks: speed '" + std::to_string(speed) +
                         "' is not 10, 25 or 100 (Gbit/s): use leaf_spine for others");
}

void fit(Settings& settings, Rank hosts) {
  settings.choose("racks", (hosts - 1) / find_rack(settings).hosts + 1);
}

Topology make(const Settings& settings) {
  const Rack& rack = find_rack(settings);
  constexpr double kGigabit = 1e9 / 8;
  return make_tree(settings.spec(),
                   {{rack.hosts, settings.count("racks")}, {1, rack.uplinks}, {1, 1}},
                   {{"tor", {rack.speed * kGigabit, rack.latency, "host"}},
                    {"spine", {rack.up_speed * kGigabit, rack.latency, "tor-spine"}}});
}

}  // namespace

TopologyKind ethernet_racks() {
  using Unit = Parameter::Unit;
  return {
      .name = "ethernet_racks",
      .summary = "preset: racks of 10, 25 or 100 GbE hosts, oversubscribed as usual, and spines",
      .source = "Arista 7050X and 7050X3 data sheets",
      .parameters = {{"speed", Unit::count, "25", "of a host: 10, 25 or 100 Gbit/s"},
                     {"racks", Unit::count, "2", "racks of 48 hosts (24 at 100 GbE)"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
