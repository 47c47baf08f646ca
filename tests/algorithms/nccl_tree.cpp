// NCCL's trees: chains within nodes and two trees over the nodes, per channel.
#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;

TEST_CASE("nccl_tree is right on 1 to 8 nodes of 1 to 8 ranks, and costs what it claims") {
  const Rank most = kSanitized ? 4 : 8;
  for (Rank nodes = 1; nodes <= most; ++nodes)
    for (Rank size = 1; size <= most; ++size)
      for (const Count channels : {1, 2, 3, 8}) {
        const Algorithm& tree = find_algorithm(concat("nccl_tree:channels=", channels));
        const Groups groups = Groups::consecutive(nodes * size, size);
        const Problem p{.ranks = nodes * size, .elements = 101, .groups = &groups};
        INFO(nodes << " nodes of " << size << " ranks, " << channels << " channels");
        const Proof proof = verify(tree, p);
        INFO(proof.fault.text);
        REQUIRE(proof);
        const Count edges = nodes * size - 1;
        REQUIRE(count(tree, p).all ==
                Cost{4 * channels * edges, 2 * 101 * edges, 2 * (size - 1) + 2 * ceil_log2(nodes)});
        REQUIRE(count(tree, p).all == predicted_cost(tree, p));
      }
}

TEST_CASE("in nccl_tree one rank per node and channel sends to other nodes") {
  const Groups groups = Groups::consecutive(32, 8);
  const Algorithm& tree = find_algorithm("nccl_tree:channels=8");
  const Problem p{.ranks = 32, .elements = 3200, .groups = &groups};
  for (const Lane& lane : lanes_of(tree, p))
    for (Rank me = 0; me < 32; ++me)
      for (Program program = tree.program(lane.problem, me); program.next();)
        for (const Action& a : program.round())
          if (groups.group_of(a.peer) != groups.group_of(me))
            CHECK(groups.place_of(me) == lane.problem.lane / 2);
}

TEST_CASE("without groups nccl_tree is unsupported") {
  CHECK(unsupported(find_algorithm("nccl_tree"), {.ranks = 4, .elements = 9}) ==
        "nccl_tree needs to know which ranks share a node: give the groups, or a topology that has "
        "groups");
}
