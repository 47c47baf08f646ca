// arlab list topologies: prints the networks and their parameters.
#include <fmt/format.h>

#include "bench/commands/commands.hpp"
#include "bench/text/listing.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::bench {
namespace {

using Rows = std::vector<std::vector<std::string>>;

}  // namespace

void list_topologies(const Listing& listing) {
  Rows rows;
  for (const simulator::TopologyKind& kind : simulator::topologies())
    for (const Parameter& p : kind.parameters) {
      const bool first = &p == &kind.parameters.front();
      rows.push_back({first ? std::string(kind.name) : "", first ? std::string(kind.summary) : "",
                      std::string(p.name), std::string(p.default_value), std::string(p.help),
                      first ? std::string(kind.source) : ""});
    }
  listing.table({"topology", "idea", "parameter", "default", "meaning", "source"}, rows);
  listing.note(
      "\nExamples: fat_tree:k=8,bandwidth=200Gbps, or the name of a file (GraphML, DOT, or another "
      "program's).\n\n");
  Rows routings, placements;
  for (const simulator::Routing r : simulator::kRoutings)
    routings.push_back({std::string(name(r)), std::string(simulator::summary(r))});
  for (const simulator::Placement p : simulator::kPlacements)
    placements.push_back({std::string(name(p)), std::string(simulator::summary(p))});
  listing.table({"routing", "idea"}, routings);
  listing.note("\n");
  listing.table({"placement", "idea"}, placements);
}

}  // namespace arlab::bench
