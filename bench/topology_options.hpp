// Options that choose a network: its topology (by name or from a file), routing, placement and
// broken links.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing.hpp"
#include "simulator/topologies/topology.hpp"

namespace arlab {

struct TopologyOptions {
  std::string topology;  ///< "fat_tree:k=8" or a file's name
  std::string routing = "automatic", placement = "block";
  std::vector<std::string> faults;  ///< "dead=h0-edge0", "slow=h0--edge0:4"
  std::uint64_t seed = 0;

  /// Adds everything but the topology's own option.
  void add(CLI::App& verb);

  /// With its broken links. Sizes that are left out hold `ranks` hosts. Throws Error(usage), and
  /// Error(environment) for a file that cannot be read.
  Topology open(Rank ranks = 0) const;
  Routing parsed_routing() const { return find_routing(routing); }
  /// The host of each rank.
  std::vector<Rank> hosts_of(const Topology& topology, Rank ranks) const;
};

}  // namespace arlab
