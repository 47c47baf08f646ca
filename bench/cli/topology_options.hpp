// Options that choose a network: its topology (by name or from a file), routing, placement and
// broken links.
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
enum class Routing : std::uint8_t;
}  // namespace arlab::simulator

namespace arlab::bench {

struct TopologyOptions {
  std::string topology;  ///< "fat_tree:k=8" or a file's name
  std::string routing = "automatic", placement = "block";
  std::vector<std::string> faults;  ///< "dead=h0-edge0", "slow=h0--edge0:4"
  std::uint64_t seed = 0;

  /// Adds --routing, --fault and --seed: what a sweep has one of, too.
  void add(CLI::App& command, const std::string& group = "OPTIONS");

  /// With its broken links. Sizes that are left out hold `ranks` hosts. Throws Error(usage), and
  /// Error(environment) for a file that cannot be read.
  simulator::Topology open(Rank ranks = 0) const;
  simulator::Routing parsed_routing() const;
  /// The host of each rank.
  std::vector<Rank> hosts_of(const simulator::Topology& topology, Rank ranks) const;
  /// All of it, built.
  std::shared_ptr<const simulator::Fabric> fabric(Rank ranks) const;
  /// What `made` is: the topology with every size filled in, and what is not as usual.
  std::string text(const simulator::Topology& made) const;
};

/// "torus,fat_tree:k=8,levels=2,rail_pod" is three topologies: a part without '=' or with ':'
/// before it begins a new one.
std::vector<std::string> split_topologies(const std::vector<std::string>& lists);

}  // namespace arlab::bench
