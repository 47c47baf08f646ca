// Hierarchical: reduces over the fast links within a node first, then between nodes.
//
// With G groups of S ranks the vector is cut in S blocks of G chunks. (1) Within each group every
// rank sends each block directly to its owner, in rotation: rank i of the group gets block i.
// (2) The ranks at place i of all groups allreduce block i around a ring (in a rail-optimized
// network: over their rail). (3) Within each group the owners send the finished blocks to all
// others. It sends as few bytes as the ring, and only N/S of the vector leaves a rank's node.
// Groups of unequal size have as many owners each as the smallest group has ranks: a lane per
// owner. Settings choose other algorithms within and between groups (levels/two_levels.hpp). Mikami
// et al., Massively Distributed SGD, arXiv:1811.05233, 2018 (2D-torus all-reduce). Goyal et al.,
// arXiv:1706.02677, 2017, section 4, use other steps between the nodes.
#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/levels/two_levels.hpp"

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

// Groups of consecutive ranks are a torus of places and groups.
std::optional<RankSymmetry> symmetry(const Problem& p) {
  const Position at(p, 0);
  for (Rank r = 0; r < p.ranks; ++r)
    if (at.size == 0 || p.groups->group_of(r) != r / at.size) return {};
  return RankSymmetry({at.size, at.groups});
}

// The same for groups of unequal size. For equal ones the program above has the same messages.
TwoLevels uneven() { return {&find_algorithm("master_worker"), &find_algorithm("ring")}; }
bool is_even(const Problem& p) { return p.groups->even_size() > 0; }

Algorithm described() {
  return {
      .name = "hierarchical",
      .label = "Hierarchical",
      .color = "#33979F",
      .family = "split",
      .summary = "reduce-scatter within nodes, rings between counterparts, all-gather within nodes",
      .source = "Mikami et al., arXiv:1811.05233, 2018 (2D-torus all-reduce)",
      .formula = {"2m(S-1) + 2m(G-1) (m = G groups of S)", "2N(m-1)", "2(S-1) + 2(G-1)"},
      .collectives = {Collective::allreduce},
      .grouped = true,
      .chained = Chained::no,
      .carries = Carries::any_set,
      .usual_segments = level_segments,
      .parameters = {{"within", Parameter::Unit::algorithm, "round_robin",
                      "algorithm within groups: has reduce_scatter, or reduce"},
                     {"across", Parameter::Unit::algorithm, "ring", "algorithm between groups"},
                     {"leaders", Parameter::Unit::count, "0",
                      "leaders per group if within has reduce; 0: as many as possible", 0,
                      1 << 20}},
      .examples = {"hierarchical:within=ring,across=rabenseifner",
                   "hierarchical:within=circulant,across=swing",
                   "hierarchical:within=rabenseifner:far=yes,across=recursive_multiplying:k=3",
                   "hierarchical:across=pat", "hierarchical:within=tree,across=butterfly",
                   "hierarchical:within=chain,across=double_tree,leaders=2",
                   "hierarchical:within=master_worker,across=tree"},
  };
}

// An algorithm of one level, whose groups, grids, and trees exist only in the whole problem.
const Algorithm& level(const Setting& setting) {
  const Algorithm& entry = find_named(algorithms(), parse_spec(setting.value).name, "algorithm");
  if (entry.grouped || entry.gridded || entry.forested)
    fail(Blame::usage,
         concat("parameter ", setting.name, " of algorithm hierarchical is ", entry.name,
                ", which needs groups, a torus or trees of its own: "
                "give an algorithm that runs on any network, such as ring"));
  return find_algorithm(setting.value);
}

Algorithm configure(std::span<const Setting> settings) {
  Algorithm made = described();
  constexpr std::string_view kOwner = "algorithm hierarchical";
  TwoLevels levels{&find_algorithm("round_robin"), &find_algorithm("ring")};
  for (const Setting& setting : settings) {
    find_parameter(made.parameters, setting.name, kOwner);
    if (setting.name == "within") levels.within = &level(setting);
    if (setting.name == "across") levels.across = &level(setting);
    if (setting.name != "leaders") continue;
    const Values values = with_defaults(
        std::span(made.parameters).last(1),
        parse_values(std::span(made.parameters).last(1), {&setting, 1}, kOwner), kOwner);
    levels.leaders = static_cast<Count>(values.at("leaders"));
  }
  if (levels.leaders > 0 && levels.has_blocks())
    fail(Blame::usage, concat("parameter leaders of algorithm hierarchical is ", levels.leaders,
                              ", but ", levels.within->name,
                              " within groups has no leaders: leave it out, or take tree within "
                              "groups"));
  made.in_network = levels.within->in_network || levels.across->in_network;
  run_levels(made, [levels] { return levels; });
  return made;
}

}  // namespace

Algorithm hierarchical() {
  Algorithm entry = described();
  entry.program = [](Problem p, Rank me) {
    return is_even(p) ? program(p, me) : uneven().program(p, me);
  };
  entry.cost_model = [](const Problem& p) { return is_even(p) ? cost_model(p) : uneven().cost(p); };
  entry.rank_cost_model = [](const Problem& p, Rank me) {
    return is_even(p) ? rank_cost_model(p, me) : uneven().rank_cost(p, me);
  };
  entry.unsupported_reason = [](const Problem& p) {
    return p.groups && is_even(p) ? "" : uneven().unsupported_reason(p);
  };
  entry.lane_weights = [](const Problem& p) {
    return p.groups && is_even(p) ? std::vector<Count>{1} : uneven().lane_weights(p);
  };
  entry.symmetry = symmetry;
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
