// Double tree: two binary trees, each for half of the vector; a leaf of one is inside the other.
//
// Every rank sends and receives about twice its share in each tree's direction, so that, pipelined
// in segments, all links are busy both ways: as few bytes as a ring at a depth of log2 m. The trees
// are those of NCCL: tree 0 by the lowest set bit of the rank, tree 1 its mirror image (shifted by
// one if m is odd). Sanders, Speck, Träff, Two-tree algorithms for full bandwidth broadcast,
// reduction and scan, Parallel Computing 35(12), 2009. NCCL, src/graph/trees.cc.
#include <array>

#include "algorithms/algorithm.hpp"
#include "algorithms/parts/double_tree.hpp"

namespace arlab::catalog {
namespace {

// The family without absent members, as a round of equal actions with the children.
struct Neighbors {
  Neighbors(const Problem& p, Rank me) {
    const TreeFamily family = double_tree_family(p.ranks, p.lane, me);
    parent = family.parent;
    for (const Rank child : family.children)
      if (child != kNone) children[index(count++)] = child;
  }
  static constexpr Rank kNone = TreeFamily::kNone;
  Rank parent = kNone;
  Rank count = 0;
  std::array<Rank, 2> children{};
};

Program program(Problem p, Rank me) {
  const Neighbors near(p, me);
  std::array<Action, 2> round;
  const auto with_children = [&](ActionKind kind) {
    for (Rank i = 0; i < near.count; ++i)
      round[index(i)] = {kind, near.children[index(i)], p.all()};
    return Round(round.data(), index(near.count));
  };
  if (near.count > 0) co_yield with_children(ActionKind::reduce);
  if (near.parent != Neighbors::kNone) {
    co_yield send(near.parent, p.all());
    co_yield replace(near.parent, p.all());
  }
  if (near.count > 0) co_yield with_children(ActionKind::send);
}

Cost cost_model(const Problem& p) {
  const Count edges = 2 * Count{p.ranks - 1};
  return {p.elements > 0 ? edges : 0, edges * p.elements, 2 * ceil_log2(p.ranks)};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Neighbors near(p, me);
  const Count up = near.parent != Neighbors::kNone ? 1 : 0, sent = up + near.count;
  return {p.elements > 0 ? sent : 0, sent * p.elements, 2 * up + (near.count > 0 ? 2 : 0)};
}

}  // namespace

Algorithm double_tree() {
  return {
      .name = "double_tree",
      .label = "Double tree",
      .color = "#7195BE",
      .family = "whole",
      .summary = "two binary trees, each reduces and broadcasts half of the vector; use segments",
      .source = "Sanders, Speck, Träff, Parallel Computing 35(12), 2009; NCCL",
      .formula = {"4(m-1)", "2N(m-1)", "2 ceil(log2 m)"},
      .collectives = {Collective::allreduce},
      .lanes = 2,
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
  };
}

}  // namespace arlab::catalog
