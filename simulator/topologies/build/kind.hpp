// TopologyKind: one catalog entry: a family of networks, its parameters, and how to build one.
//
// To add one, write simulator/topologies/catalog/<name>.cpp with `TopologyKind <name>()` in
// namespace arlab::simulator::topology_catalog, and one test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/settings.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct TopologyKind {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  /// Chooses the sizes that were not given: the smallest that hold `hosts`.
  void (*fit)(Settings& settings, Rank hosts) = nullptr;
  Topology (*make)(const Settings& settings) = nullptr;
};

/// Every topology of simulator/topologies/catalog, by name.
std::span<const TopologyKind> topologies();

/// Throws Error(usage) naming the nearest topology when there is none of that name.
const TopologyKind& find_topology(std::string_view name);

/// "fat_tree:k=8,oversubscription=4,bandwidth=100Gbps". Sizes that are left out are chosen to hold
/// `hosts_wanted`; with 0 wanted they take their defaults. Throws Error(usage) that names the bad
/// value, also when the sizes given hold too few hosts.
Topology make_topology(std::string_view spec, Rank hosts_wanted = 0);

}  // namespace arlab::simulator
