// FabricSpec: the names from which a fabric is built.
#pragma once

#include <cstdint>
#include <string>

namespace arlab::simulator {

/// What the messages of a model with links travel on, as words; see `arlab list topologies`.
struct FabricSpec {
  std::string topology;  ///< such as "fat_tree:k=8"; empty: crossbar
  std::string routing = "automatic";
  std::string placement = "block";
  std::uint64_t seed = 0;
};

}  // namespace arlab::simulator
