// NCCL tree: a chain within each node, and two binary trees over the nodes, per channel.
//
// Each of K channels has two lanes, one per tree (parts/double_tree.hpp). In a lane every node has
// a head, which is in the tree; the other ranks follow it in a chain. In channel c the head of a
// node of g ranks is at place c g / K, so that each channel uses another NIC. Sums go along the
// chains to the heads and up the tree; the result returns the same way. It needs segments, as all
// trees. NCCL, src/graph/connect.cc and trees.cc.
#include <algorithm>
#include <array>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/parts/double_tree.hpp"

namespace arlab::catalog {
namespace {

constexpr double kMostChannels = 512;
constexpr Rank kNone = TreeFamily::kNone;

// A rank's neighbors in one lane: the parent, and up to three children.
struct Links {
  Rank parent = kNone;
  Rank count = 0;
  std::array<Rank, 3> children{};

  void add(Rank child) {
    if (child != kNone) children[index(count++)] = child;
  }
};

// The chains and the tree of one lane.
class Lines {
 public:
  Lines(const Problem& p, Count channels)
      : groups_(*p.groups), channel_(p.lane / 2), tree_(p.lane % 2), channels_(channels) {}

  Links of(Rank me) const {
    const Rank group = groups_.group_of(me), size = groups_.size_of(group);
    const Rank at = (groups_.place_of(me) - head_place(group) + size) % size;
    Links links;
    if (at > 0) links.parent = in_chain(group, at - 1);
    if (at + 1 < size) links.add(in_chain(group, at + 1));
    if (at > 0) return links;
    const TreeFamily family = double_tree_family(groups_.count(), tree_, group);
    if (family.parent != kNone) links.parent = in_chain(family.parent, 0);
    for (const Rank child : family.children)
      if (child != kNone) links.add(in_chain(child, 0));
    return links;
  }

  // The edges from the root to the farthest end of a chain.
  Count longest() const {
    Count most = 0;
    for (Rank g = 0; g < groups_.count(); ++g)
      most = std::max<Count>(most,
                             groups_.size_of(g) - 1 + double_tree_depth(groups_.count(), tree_, g));
    return most;
  }

 private:
  Rank head_place(Rank group) const {
    return static_cast<Rank>(channel_ * Count{groups_.size_of(group)} / channels_);
  }
  Rank in_chain(Rank group, Rank at) const {
    return groups_.member(group, (head_place(group) + at) % groups_.size_of(group));
  }

  const Groups& groups_;
  Count channel_;
  std::int32_t tree_;
  Count channels_;
};

Program program(Problem p, Rank me, Count channels) {
  const Links near = Lines(p, channels).of(me);
  std::array<Action, 3> round;
  const auto with_children = [&](ActionKind kind) {
    for (Rank i = 0; i < near.count; ++i)
      round[index(i)] = {kind, near.children[index(i)], p.all()};
    return Round(round.data(), index(near.count));
  };
  if (near.count > 0) co_yield with_children(ActionKind::reduce);
  if (near.parent != kNone) {
    co_yield send(near.parent, p.all());
    co_yield replace(near.parent, p.all());
  }
  if (near.count > 0) co_yield with_children(ActionKind::send);
}

Cost cost_model(const Problem& p, Count channels) {
  const Count edges = 2 * Count{p.ranks - 1};
  return {p.elements > 0 ? edges : 0, edges * p.elements, 2 * Lines(p, channels).longest()};
}

Cost rank_cost_model(const Problem& p, Rank me, Count channels) {
  const Links near = Lines(p, channels).of(me);
  const Count up = near.parent != kNone ? 1 : 0, sent = up + near.count;
  return {p.elements > 0 ? sent : 0, sent * p.elements, 2 * up + (near.count > 0 ? 2 : 0)};
}

std::string unsupported_reason(const Problem& p) {
  if (p.groups) return "";
  return "nccl_tree needs to know which ranks share a node: give the groups, or a topology that has "
         "groups";
}

// Pieces follow one another along the chains and trees. A message keeps at least 1,024 elements.
int usual_segments(const Problem& p, Count channels) {
  constexpr Count kElements = 1024, kMost = 16;
  return static_cast<int>(std::clamp<Count>(p.elements / (2 * channels) / kElements, 1, kMost));
}

Algorithm make(std::int32_t channels) {
  return {
      .name = "nccl_tree",
      .label = "NCCL tree",
      .color = "#B17C30",
      .family = "whole",
      .summary = "chains within nodes, two binary trees over the nodes, per channel; use segments",
      .source = "NCCL, src/graph/connect.cc; Sanders, Speck, Träff, 2009",
      .formula = {channels == 1 ? "4(m-1)" : "4K(m-1)", "2N(m-1)",
                  "2(S-1) + 2 ceil(log2 G) (G groups of S)"},
      .collectives = {Collective::allreduce},
      .lanes = 2 * channels,
      .grouped = true,
      .chained = Chained::no,
      .carries = Carries::whole,
      .program = [channels](Problem p, Rank me) { return program(p, me, channels); },
      .cost_model = [channels](const Problem& p) { return cost_model(p, channels); },
      .rank_cost_model = [channels](const Problem& p,
                                    Rank me) { return rank_cost_model(p, me, channels); },
      .unsupported_reason = unsupported_reason,
      .usual_segments = [channels](const Problem& p) { return usual_segments(p, channels); },
      .parameters = {{"channels", Parameter::Unit::count, "1",
                      "pairs of trees, each for a part of the vector: one per NIC of a node", 1,
                      kMostChannels}},
      .examples = {"nccl_tree:channels=2", "nccl_tree:channels=3"},
  };
}

Algorithm configure(std::span<const Setting> settings) {
  const Algorithm usual = make(1);
  constexpr std::string_view kOwner = "algorithm nccl_tree";
  const Values values =
      with_defaults(usual.parameters, parse_values(usual.parameters, settings, kOwner), kOwner);
  return make(static_cast<std::int32_t>(values.at("channels")));
}

}  // namespace

Algorithm nccl_tree() {
  Algorithm entry = make(1);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
