// The options of a network: topology (by name or from a file), routing, placement and faults.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace CLI {
class App;
}

namespace arlab::simulator {
class Topology;
struct Fabric;
struct RoutingSpec;
}  // namespace arlab::simulator

namespace arlab::bench {

struct TopologyOptions {
  std::string topology;  ///< "fat_tree:k=8" or the name of a file
  std::string routing = "automatic", placement = "block";
  std::vector<std::string> faults;  ///< "dead=h0-edge0", "slow=h0--edge0:4"
  std::uint64_t seed = 0;

  /// Adds --routing, --fault and --seed, of which a sweep has one, too.
  void add(CLI::App& command, const std::string& group = "OPTIONS");

  /// Returns the topology with its faults. Sizes that are left out become large enough for `ranks`
  /// hosts. Throws Error(usage), and Error(environment) for a file that cannot be read.
  simulator::Topology open(Rank ranks = 0) const;
  simulator::RoutingSpec parsed_routing() const;
  /// Returns the host of each rank.
  std::vector<Rank> hosts_of(const simulator::Topology& topology, Rank ranks) const;
  /// Returns topology, routing and placement, built.
  std::shared_ptr<const simulator::Fabric> fabric(Rank ranks) const;
  /// Returns the topology with all sizes, and every option that is not the default.
  std::string text(const simulator::Topology& made) const;
};

/// Splits "torus,fat_tree:k=8,levels=2,rail_pod" into three specs: a part without '=', or with
/// ':' before it, begins a new one.
std::vector<std::string> split_specs(const std::vector<std::string>& lists);

}  // namespace arlab::bench
