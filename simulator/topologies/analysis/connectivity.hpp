// Who can reach whom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

/// A host and all those that cannot reach it.
struct Gap {
  Rank target = 0;
  std::vector<Rank> sources;
};

/// The first host that some other cannot reach; nothing when all reach all.
std::optional<Gap> find_gap(const Topology& topology);

/// "h1, h2 and 5 more cannot reach h0".
std::string text_of(const Gap& gap, const Topology& topology);

}  // namespace arlab::simulator
