#include "algorithms/levels/group_levels.hpp"

#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/levels/level_chunks.hpp"
#include "algorithms/levels/translated.hpp"

namespace arlab {
namespace {

Problem group_problem(const Problem& p, Count elements) {
  return {.collective = p.collective,
          .ranks = p.groups->even_size(),
          .elements = elements,
          .lane = p.lane,
          .switches = {.all = p.switches.groups}};
}

Problem place_problem(const Problem& p, Count elements) {
  return {.ranks = p.groups->count(),
          .elements = elements,
          .lane = p.lane,
          .switches = {.all = p.switches.places}};
}

Program run_within(const Algorithm* algorithm, Problem p, Rank me) {
  const Rank group = p.groups->group_of(me), size = p.groups->even_size();
  const auto peer = [&](Rank place) { return p.groups->member(group, place); };
  for (Translated t(algorithm->program(group_problem(p, p.elements), p.groups->place_of(me)),
                    ChunkMap::cut(p.ranks, size), team_of_group(p, group));
       t.next(peer);)
    co_yield t.round();
}

Program run_across(const Algorithm* algorithm, Problem p, Rank me) {
  const Rank place = p.groups->place_of(me), count = p.groups->count();
  const auto peer = [&](Rank group) { return p.groups->member(group, place); };
  for (Translated t(algorithm->program(place_problem(p, p.elements), p.groups->group_of(me)),
                    ChunkMap::spaced(p.ranks, count, place * count, 1), team_of_place(p, place));
       t.next(peer);)
    co_yield t.round();
}

LevelChunks blocks_of(const Problem& p) { return {p, p.groups->even_size(), false}; }

template <class CostOf>
Cost cost_within(const Problem& p, CostOf cost_of) {
  return blocks_of(p).cost([&](Count n) { return cost_of(group_problem(p, n)); });
}

std::string refuse_groups(const Problem& p) {
  if (!p.groups) return "levels need groups of ranks: give the number of ranks per group";
  if (p.groups->even_size() == 0)
    return concat("levels need groups of equal size, but ", p.ranks,
                  " ranks are in groups of different sizes: give a size that divides ", p.ranks);
  return "";
}

std::string refuse_within(const Algorithm& algorithm, const Problem& p) {
  if (std::string why = refuse_groups(p); !why.empty()) return why;
  if (algorithm.carries == Carries::any_set && p.groups->even_size() > 1 && p.groups->count() > 1)
    return concat(algorithm.name,
                  " within groups sends chunks with strides, which are not chunks of the whole "
                  "vector: take ring");
  return unsupported(algorithm, group_problem(p, p.elements));
}

std::string refuse_across(const Algorithm& algorithm, const Problem& p) {
  if (std::string why = refuse_groups(p); !why.empty()) return why;
  if (algorithm.carries >= Carries::around && p.groups->even_size() > 1 && p.groups->count() > 1)
    return concat(algorithm.name,
                  " between groups sends chunks around the end of a block: take ring");
  return unsupported(algorithm, place_problem(p, p.elements));
}

Algorithm level_of(const Algorithm& algorithm) {
  return {.name = algorithm.name,
          .label = algorithm.label,
          .color = algorithm.color,
          .family = algorithm.family,
          .summary = algorithm.summary,
          .source = algorithm.source,
          .formula = algorithm.formula,
          .collectives = {},
          .lanes = algorithm.lanes,
          .grouped = true};
}

}  // namespace

Algorithm within_groups(const Algorithm& algorithm) {
  Algorithm level = level_of(algorithm);
  const Algorithm* const a = &algorithm;
  level.collectives = {Collective::reduce_scatter, Collective::all_gather};
  level.program = [a](Problem p, Rank me) { return run_within(a, p, me); };
  level.cost_model = [a](const Problem& p) {
    Cost cost = cost_within(p, [&](const Problem& part) { return a->cost_model(part); });
    cost.messages *= p.groups->count();
    cost.elements *= p.groups->count();
    return cost;
  };
  level.rank_cost_model = [a](const Problem& p, Rank me) {
    return cost_within(
        p, [&](const Problem& part) { return a->rank_cost_model(part, p.groups->place_of(me)); });
  };
  level.unsupported_reason = [a](const Problem& p) { return refuse_within(*a, p); };
  return level;
}

Algorithm across_groups(const Algorithm& algorithm) {
  Algorithm level = level_of(algorithm);
  const Algorithm* const a = &algorithm;
  level.collectives = {Collective::allreduce};
  level.program = [a](Problem p, Rank me) { return run_across(a, p, me); };
  level.cost_model = [a](const Problem& p) {
    const LevelChunks blocks = blocks_of(p);
    Cost all;
    for (Rank place = 0; place < p.groups->even_size(); ++place) {
      const Cost one = a->cost_model(place_problem(p, blocks.size(place)));
      all = {all.messages + one.messages, all.elements + one.elements,
             std::max(all.rounds, one.rounds)};
    }
    return all;
  };
  level.rank_cost_model = [a](const Problem& p, Rank me) {
    const Count elements = blocks_of(p).size(p.groups->place_of(me));
    return a->rank_cost_model(place_problem(p, elements), p.groups->group_of(me));
  };
  level.unsupported_reason = [a](const Problem& p) { return refuse_across(*a, p); };
  return level;
}

OwnedBlock owned_block(const Problem& lane, Rank rank) {
  const Count parts = lane.groups->count();  // chunks of a block
  const Count first = parts * lane.groups->place_of(rank);
  const Blocks blocks = lane.blocks();
  return {blocks.begin(first), blocks.begin(first + parts) - blocks.begin(first)};
}

}  // namespace arlab
