// Hierarchical: reduces over the fast links within a node first, then between nodes.
//
// With G groups of S ranks the vector is cut in S blocks of G chunks. (1) Within each group every
// rank sends each block directly to its owner, in rotation: rank i of the group gets block i.
// (2) The ranks at place i of all groups allreduce block i around a ring (in a rail-optimized
// network: over their rail). (3) Within each group the owners send the finished blocks to all
// others. It sends as few bytes as the ring, and only N/S of the vector leaves a rank's node.
// Mikami et al., Massively Distributed SGD, arXiv:1811.05233, 2018 (2D-torus all-reduce). Goyal et
// al., arXiv:1706.02677, 2017, section 4, use other steps between the nodes.
#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"

namespace arlab::catalog {
namespace {

// A rank's group and its place in the group; there are `groups` of `size` ranks.
struct Position {
  Position(const Problem& p, Rank me)
      : groups(p.groups->count()),
        size(p.groups->even_size()),
        group(p.groups->group_of(me)),
        place(p.groups->place_of(me)) {}

  Chunks block(Rank owner) const { return {owner * groups, groups}; }
  Chunks chunk(Rank index) const { return {place * groups + (index + groups) % groups, 1}; }

  Rank groups, size, group, place;
};

Program program(Problem p, Rank me) {
  const Position at(p, me);
  const auto beside = [&](Rank steps) {
    return p.groups->member(at.group, (at.place + steps + at.size) % at.size);
  };
  const auto across = [&](Rank steps) {
    return p.groups->member((at.group + steps + at.groups) % at.groups, at.place);
  };
  for (Rank s = 1; s < at.size; ++s)
    co_yield together(send(beside(s), at.block((at.place + s) % at.size)),
                      reduce(beside(-s), at.block(at.place)));
  for (Rank s = 1; s < at.groups; ++s)
    co_yield together(send(across(1), at.chunk(at.group - s)),
                      reduce(across(-1), at.chunk(at.group - s - 1)));
  for (Rank s = 0; s < at.groups - 1; ++s)
    co_yield together(send(across(1), at.chunk(at.group - s)),
                      replace(across(-1), at.chunk(at.group - s - 1)));
  for (Rank s = 1; s < at.size; ++s)
    co_yield together(send(beside(s), at.block(at.place)),
                      replace(beside(-s), at.block((at.place - s + at.size) % at.size)));
}

Count rounds_of(const Position& at) { return 2 * Count{at.size - 1} + 2 * Count{at.groups - 1}; }

// The number of blocks with elements: chunks fill from the first on, and so do blocks.
Count filled_blocks(const Problem& p, const Position& at) {
  return (p.filled_chunks() + at.groups - 1) / at.groups;
}

Cost cost_model(const Problem& p) {
  const Position at(p, 0);
  const Count within = 2 * Count{at.groups} * (at.size - 1);  // times each block
  const Count between = 2 * Count{at.groups - 1};             // times each chunk
  return {within * filled_blocks(p, at) + between * p.filled_chunks(),
          (within + between) * p.elements, rounds_of(at)};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Position at(p, me);
  const Blocks blocks = p.blocks();
  const Count own = blocks.size(at.block(at.place)), own_filled = own > 0 ? 1 : 0;
  const Count chunks =
      std::clamp<Count>(p.filled_chunks() - at.block(at.place).first, 0, at.groups);
  Cost cost{0, 0, rounds_of(at)};
  cost.messages += filled_blocks(p, at) - own_filled;  // (1) every block but its own
  cost.elements += p.elements - own;
  for (const Rank kept : {at.group, at.group + 1}) {  // (2) as in a ring
    const Count size = blocks.size(at.chunk(kept % at.groups));
    cost.messages += chunks - (size > 0 ? 1 : 0);
    cost.elements += own - size;
  }
  cost.messages += (at.size - 1) * own_filled;  // (3) its own block to all others
  cost.elements += (at.size - 1) * own;
  return cost;
}

std::string unsupported_reason(const Problem& p) {
  if (!p.groups)
    return "hierarchical needs to know which ranks share a node: give the groups, or a topology "
           "that has groups";
  if (p.groups->even_size() > 0) return "";
  Rank min = p.ranks, max = 0;
  for (Rank g = 0; g < p.groups->count(); ++g) {
    min = std::min(min, p.groups->size_of(g));
    max = std::max(max, p.groups->size_of(g));
  }
  return concat("hierarchical needs groups of equal size, but these have ", min, " to ", max,
                " ranks: choose a number of ranks that fills them");
}

}  // namespace

Algorithm hierarchical() {
  return {
      .name = "hierarchical",
      .label = "Hierarchical",
      .color = "#999933",
      .family = "split",
      .summary = "reduce-scatter within nodes, rings between counterparts, all-gather within nodes",
      .source = "Mikami et al., arXiv:1811.05233, 2018 (2D-torus all-reduce)",
      .formula = {"2m(S-1) + 2m(G-1) (m = G groups of S)", "2N(m-1)", "2(S-1) + 2(G-1)"},
      .collectives = {Collective::allreduce},
      .grouped = true,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::catalog
