// FabricSpec: the names from which a fabric is built.
#pragma once

#include <cstdint>
#include <string>

namespace arlab::simulator {

/// The network of a model with links, by names from the catalogs.
struct FabricSpec {
  std::string topology;               ///< such as "fat_tree:k=8"; empty: crossbar
  std::string routing = "automatic";  ///< such as "ecmp:flows=4"
  std::string placement = "block";
  std::uint64_t seed = 0;
};

}  // namespace arlab::simulator
