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

/// Reads the placement from text: one line per rank with the name or number of its host, or what
/// MPI programs are started with. A line of a hostfile, "node1 slots=2" or "node1:2", stands for
/// that many ranks; a line of a rankfile, "rank 3=node1 slot=0", for one. There, "node1" is a host
/// of the topology, or all hosts whose names begin so and go on with something else than a digit,
/// such as node1.0 or node1g0: its slots are these hosts, in order. Empty lines and text after #
/// are ignored. Throws Error(usage) that names the line if a host does not exist or occurs twice,
/// and if there are fewer lines than ranks.
std::vector<Rank> read_placement(std::string_view text, const Topology& topology, Rank ranks);

}  // namespace arlab::simulator
