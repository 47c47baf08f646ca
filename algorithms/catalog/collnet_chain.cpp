// CollNet chain: a chain of GPUs per NIC reduces within the node, and switches add between nodes.
//
// In lane i the vector's part goes down the GPUs of a node to the one at place i, adding up. Those
// join the sum of the switches, and the result goes back along the chain. Cut into segments, all
// links work at once. NCCL's CollNetChain, over SHARP (Graham et al., COMHPC 2016).
#include "algorithms/levels/two_levels.hpp"

namespace arlab::catalog {

Algorithm collnet_chain() {
  Algorithm entry{
      .name = "collnet_chain",
      .label = "CollNet chain",
      .color = "#6382A4",
      .family = "split",
      .summary = "chains reduce to each NIC of a node, and switches add between nodes",
      .source = "NCCL's CollNetChain; Graham et al., COMHPC 2016",
      .formula = {"2m(S-1) + m (S lanes)", "2G N(S-1) + G N, G nodes of S", "2(S-1) + 1"},
      .collectives = {Collective::allreduce},
      .in_network = true,
      .carries = Carries::any_set,
  };
  run_levels(entry, [] { return TwoLevels{&find_algorithm("chain"), &find_algorithm("sharp")}; });
  return entry;
}

}  // namespace arlab::catalog
