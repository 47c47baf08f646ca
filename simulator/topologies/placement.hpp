// Placement: which host each rank runs on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

enum class Placement : std::uint8_t {
  block,   ///< rank r on host r
  cyclic,  ///< dealt over the groups (nodes, leaves, ...) one by one
  random   ///< on hosts drawn without repetition, by seed
};

inline constexpr Placement kPlacements[] = {Placement::block, Placement::cyclic, Placement::random};

std::string_view name(Placement placement);
std::string_view summary(Placement placement);  ///< one line
/// Throws Error(usage) naming the nearest.
Placement find_placement(std::string_view text);

/// The host of each rank. Throws Error(usage) when there are more ranks than hosts, and for cyclic
/// where the topology has no groups.
std::vector<Rank> place(const Topology& topology, Placement placement, Rank ranks,
                        std::uint64_t seed = 0);

/// The same from text: a host's name, or its number, on a line for each rank; empty lines and what
/// follows # are left out. Throws Error(usage) that names the line for a host that does not exist
/// or occurs twice, and when the lines are fewer than the ranks.
std::vector<Rank> read_placement(std::string_view text, const Topology& topology, Rank ranks);

}  // namespace arlab::simulator
