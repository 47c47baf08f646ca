// Fuzzes both readers of topology files: any text is either a topology or a usage Error. The first
// byte selects the format, so that one corpus can hold both kinds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/import/file.hpp"
#include "simulator/topologies/routing/routing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arlab;
  using namespace arlab::simulator;
  using namespace arlab::collectives;
  using namespace arlab::training;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto format = text[0] == 'd' || text[0] == 'g' || text[0] == 's' || text[0] == '/'
                          ? TopologyFormat::dot
                          : TopologyFormat::graphml;
  try {
    const Topology topology = parse_topology(text, "fuzzed", format);
    Router router(topology);
    for (Rank h = 0; h < topology.hosts(); ++h)
      if (h > 0 && router.route(0, h).empty()) std::abort();
  } catch (const Error& error) {
    if (error.blame() != Blame::usage) std::abort();
  }
  return 0;
}
