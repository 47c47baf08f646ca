// Hierarchical: over the fast links within a node first, then between nodes, each rank with its
// counterparts only.
//
// With G groups of S ranks the vector is cut in S blocks of G chunks. (1) Within each group the
// blocks are reduced straight to their owners, in rotation: rank i of the group gets block i.
// (2) The ranks of the same place i in all groups allreduce block i around a ring (on a
// rail-optimised network: their rail). (3) Within each group the owners send the finished blocks
// around. As few bytes as the ring, and only N/S of the vector leaves a rank's node: Mikami et al.,
// Massively Distributed SGD, arXiv:1811.05233, 2018 (2D-torus all-reduce); with other steps in
// between: Goyal et al., arXiv:1706.02677, 2017, section 4.
#include <algorithm>
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"

namespace arlab::catalog {
namespace {

// Where a rank stands: its group and its place in it; `groups` of `size` ranks.
struct Seat {
  Seat(const Problem& p, Rank me)
      : groups(p.groups->count()),
        size(p.groups->even_size()),
        group(p.groups->group_of(me)),
        place(p.groups->place_of(me)) {}

  ChunkRange block(Rank owner) const { return {owner * groups, groups}; }
  ChunkRange chunk(Rank index) const { return {place * groups + (index + groups) % groups, 1}; }

  Rank groups, size, group, place;
};

Program program(Problem p, Rank me) {
  const Seat seat(p, me);
  const auto beside = [&](Rank steps) {
    return p.groups->member(seat.group, (seat.place + steps + seat.size) % seat.size);
  };
  const auto across = [&](Rank steps) {
    return p.groups->member((seat.group + steps + seat.groups) % seat.groups, seat.place);
  };
  for (Rank s = 1; s < seat.size; ++s)
    co_yield together(send(beside(s), seat.block((seat.place + s) % seat.size)),
                      reduce(beside(-s), seat.block(seat.place)));
  for (Rank s = 1; s < seat.groups; ++s)
    co_yield together(send(across(1), seat.chunk(seat.group - s)),
                      reduce(across(-1), seat.chunk(seat.group - s - 1)));
  for (Rank s = 0; s < seat.groups - 1; ++s)
    co_yield together(send(across(1), seat.chunk(seat.group - s)),
                      replace(across(-1), seat.chunk(seat.group - s - 1)));
  for (Rank s = 1; s < seat.size; ++s)
    co_yield together(send(beside(s), seat.block(seat.place)),
                      replace(beside(-s), seat.block((seat.place - s + seat.size) % seat.size)));
}

Count rounds_of(const Seat& seat) { return 2 * Count{seat.size - 1} + 2 * Count{seat.groups - 1}; }

// Chunks fill from the first on, so blocks do: those with elements.
Count filled_blocks(const Problem& p, const Seat& seat) {
  return (p.filled_chunks() + seat.groups - 1) / seat.groups;
}

Cost cost_model(const Problem& p) {
  const Seat seat(p, 0);
  const Count within = 2 * Count{seat.groups} * (seat.size - 1);  // times each block
  const Count between = 2 * Count{seat.groups - 1};               // times each chunk
  return {within * filled_blocks(p, seat) + between * p.filled_chunks(),
          (within + between) * p.elements, rounds_of(seat)};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Seat seat(p, me);
  const Blocks blocks = p.blocks();
  const Count own = blocks.size(seat.block(seat.place)), own_filled = own > 0 ? 1 : 0;
  const Count chunks =
      std::clamp<Count>(p.filled_chunks() - seat.block(seat.place).first, 0, seat.groups);
  Cost cost{0, 0, rounds_of(seat)};
  cost.messages += filled_blocks(p, seat) - own_filled;  // (1) every block but its own
  cost.elements += p.elements - own;
  for (const Rank kept : {seat.group, seat.group + 1}) {  // (2) as in a ring
    const Count size = blocks.size(seat.chunk(kept % seat.groups));
    cost.messages += chunks - (size > 0 ? 1 : 0);
    cost.elements += own - size;
  }
  cost.messages += (seat.size - 1) * own_filled;  // (3) its own block to everyone
  cost.elements += (seat.size - 1) * own;
  return cost;
}

std::string unsupported_reason(const Problem& p) {
  if (!p.groups)
    return "hierarchical needs to know which ranks share a node: give --groups, or a topology with "
           "groups";
  if (p.groups->even_size() > 0) return "";
  Rank least = p.ranks, most = 0;
  for (Rank g = 0; g < p.groups->count(); ++g) {
    least = std::min(least, p.groups->size_of(g));
    most = std::max(most, p.groups->size_of(g));
  }
  return "hierarchical needs groups of one size, and these have " + std::to_string(least) + " to " +
         std::to_string(most) + " ranks: choose ranks that fill them";
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
