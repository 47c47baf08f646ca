// Connectivity: whether all hosts of a topology can reach each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

/// A host and all hosts that cannot reach it.
struct Disconnection {
  Rank target = 0;
  std::vector<Rank> sources;
};

/// Returns the first host that some other host cannot reach, or nothing if all hosts reach each
/// other.
std::optional<Disconnection> find_disconnection(const Topology& topology);

/// "h1, h2 and 5 more cannot reach h0".
std::string to_string(const Disconnection& disconnection, const Topology& topology);

}  // namespace arlab::simulator
