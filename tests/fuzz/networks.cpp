// Fuzzes the readers of other programs' networks (NCCL, nvidia-smi, SimGrid, ASTRA-sim): any text
// is a topology whose hosts reach one another, or a usage Error.
#include "bench/formats/topologies/network_file.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::networks(std::string_view input) {
  using namespace arlab::simulator;
  for (const char* settings : {"", ":latency=1us", ":latency=1us,nvlink=25GB/s,pcie=25GB/s"})
    accepted([&] {
      const Topology topology =
          bench::read_network(std::string(input), std::string("file:fuzzed") + settings);
      Router router(topology);
      constexpr Rank kMost = 64;  // of any number
      for (Rank h = 1; h < std::min(topology.hosts(), kMost); ++h)
        demand(!router.route(0, h).empty(), "no route to " + topology.node(h).name);
    });
}
