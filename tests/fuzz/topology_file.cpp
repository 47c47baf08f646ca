// Fuzzes both readers of topology files: any text is either a topology or a usage Error. The first
// byte selects the format, so that one corpus can hold both kinds.
#include <cstdint>
#include <string_view>

#include "simulator/topologies/import/file.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::topology_file(std::string_view input) {
  using namespace arlab::simulator;
  if (input.empty()) return;
  const auto format = std::string_view("dgs/").find(input[0]) != std::string_view::npos
                          ? TopologyFormat::dot
                          : TopologyFormat::graphml;
  accepted([&] {
    const Topology topology = parse_topology(input, "fuzzed", format);
    Router router(topology);
    for (Rank h = 1; h < topology.hosts(); ++h)
      demand(!router.route(0, h).empty(), "no route to " + topology.node(h).name);
  });
}
