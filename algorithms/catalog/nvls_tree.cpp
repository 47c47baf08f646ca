// NVLS tree: switches add within nodes, two trees add between nodes.
//
// NVLS reduce-scatters the vector among the GPUs of a node, each of which allreduces its share with
// its counterparts by a double tree, over its own NIC; NVLS gathers the shares. Cut into segments,
// NVLink and NICs work at once. NCCL's NVLSTree.
#include "algorithms/levels/two_levels.hpp"

namespace arlab::catalog {

Algorithm nvls_tree() {
  Algorithm entry{
      .name = "nvls_tree",
      .label = "NVLS tree",
      .color = "#667A3A",
      .family = "split",
      .summary = "switches add within nodes, and two trees add each share between nodes",
      .source = "NCCL's NVLSTree",
      .formula = {"2m(S+1) + 4S(G-1) (S each), G = m/S nodes", "G N(S+1) + 2N(G-1)",
                  "2 + 2 ceil(log2 G)"},
      .collectives = {Collective::allreduce},
      .in_network = true,
      .carries = Carries::any_set,
  };
  run_levels(entry, [] {
    return TwoLevels{&find_algorithm("nvls"), &find_algorithm("double_tree")};
  });
  return entry;
}

}  // namespace arlab::catalog
