// Placement: the host of each rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

enum class Placement : std::uint8_t {
  block,   ///< rank r on host r
  cyclic,  ///< round robin over the groups (nodes, leaves, ...)
  random   ///< random hosts without repetition, by seed
};

inline constexpr Placement kPlacements[] = {Placement::block, Placement::cyclic, Placement::random};

std::string_view name(Placement placement);
std::string_view summary(Placement placement);  ///< one line
/// Throws Error(usage) naming the nearest.
Placement find_placement(std::string_view text);

/// Returns the host of each rank. Throws Error(usage) if there are more ranks than hosts, and for
/// cyclic if the topology has no groups.
std::vector<Rank> place(const Topology& topology, Placement placement, Rank ranks,
                        std::uint64_t seed = 0);

/// Reads the placement from text: one line per rank with the name or number of its host. Empty
/// lines and text after # are ignored. Throws Error(usage) that names the line if a host does not
/// exist or occurs twice, and if there are fewer lines than ranks.
std::vector<Rank> read_placement(std::string_view text, const Topology& topology, Rank ranks);

}  // namespace arlab::simulator
