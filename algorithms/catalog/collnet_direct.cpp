// CollNet direct: each GPU reduces its share within its node, and switches add it between nodes.
//
// The GPUs of a node reduce-scatter directly, each to each; those with the same share, which are on
// one rail, join the sum of the switches between them; then each sends its share to its node.
// NCCL's CollNetDirect, over SHARP (Graham et al., COMHPC 2016).
#include "algorithms/levels/two_levels.hpp"

namespace arlab::catalog {

Algorithm collnet_direct() {
  Algorithm entry{
      .name = "collnet_direct",
      .label = "CollNet direct",
      .color = "#175381",
      .family = "split",
      .summary = "shares are reduced directly within nodes, and added by switches between nodes",
      .source = "NCCL's CollNetDirect; Graham et al., COMHPC 2016",
      .formula = {"2m(S-1) + m", "2G N(S-1) + G N, G nodes of S", "2(S-1) + 1"},
      .collectives = {Collective::allreduce},
      .in_network = true,
      .carries = Carries::any_set,
  };
  run_levels(entry, [] {
    return TwoLevels{&find_algorithm("round_robin"), &find_algorithm("sharp")};
  });
  return entry;
}

}  // namespace arlab::catalog
