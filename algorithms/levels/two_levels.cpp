#include "algorithms/levels/two_levels.hpp"

#include <algorithm>

#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/levels/level_chunks.hpp"
#include "algorithms/levels/translated.hpp"

namespace arlab {
namespace {

// The blocks of the first form are consecutive chunks, unless the algorithm between groups sends
// chunks around the end of a block: those are consecutive only if the chunks of a block are dealt.
bool deals(const TwoLevels& levels, Rank groups) {
  return levels.across->carries >= Carries::around && groups > 1;
}

bool takes(const Algorithm& a, Collective c) {
  return std::find(a.collectives.begin(), a.collectives.end(), c) != a.collectives.end();
}

Rank smallest_group(const Groups& groups) {
  Rank least = groups.ranks();
  for (Rank g = 0; g < groups.count(); ++g) least = std::min(least, groups.size_of(g));
  return least;
}

Rank largest_group(const Groups& groups) {
  Rank largest = 0;
  for (Rank g = 0; g < groups.count(); ++g)
    if (groups.size_of(g) > groups.size_of(largest)) largest = g;
  return largest;
}

Count leaders_of(const TwoLevels& levels, const Groups& groups) {
  const Count most = smallest_group(groups);
  return levels.leaders > 0 ? std::min(levels.leaders, most) : most;
}

// The problems of the levels on one lane. Their elements matter to cost models only.
struct Parts {
  Parts(const TwoLevels& levels, const Problem& p)
      : groups(*p.groups),
        blocks(levels.has_blocks()),
        place(blocks ? 0 : static_cast<Rank>(p.lane / levels.across->lanes)),
        lane(p.lane % levels.across->lanes) {}

  Problem within(Collective collective, Rank group, Count elements) const {
    return {.collective = collective,
            .ranks = groups.size_of(group),
            .elements = elements,
            .root = place};
  }
  // Its root, if it has one, is in the largest group, which is ready last.
  Problem across(Count elements) const {
    return {.ranks = groups.count(),
            .elements = elements,
            .root = blocks ? 0 : largest_group(groups),
            .lane = lane};
  }
  Collective first() const { return blocks ? Collective::reduce_scatter : Collective::reduce; }
  Collective last() const { return blocks ? Collective::all_gather : Collective::broadcast; }

  const Groups& groups;
  bool blocks;
  Rank place;  // of the leaders
  std::int32_t lane;
};

Program run(TwoLevels levels, Problem p, Rank me) {
  const Parts parts(levels, p);
  const Rank group = p.groups->group_of(me), place = p.groups->place_of(me);
  const Rank count = p.groups->count(), size = p.groups->size_of(group);
  const bool dealt = parts.blocks && deals(levels, count);
  const ChunkMap within = dealt ? ChunkMap::dealt(p.ranks, size) : ChunkMap::cut(p.ranks, size);
  const ChunkMap across = !parts.blocks ? ChunkMap::cut(p.ranks, count)
                          : dealt       ? ChunkMap::spaced(p.ranks, count, place, size)
                                        : ChunkMap::spaced(p.ranks, count, place * count, 1);
  const auto beside = [&](Rank peer) { return p.groups->member(group, peer); };
  const auto counterpart = [&](Rank peer) { return p.groups->member(peer, place); };
  for (Translated t(levels.within->program(parts.within(parts.first(), group, p.elements), place),
                    within);
       t.next(beside);)
    co_yield t.round();
  if (parts.blocks || place == parts.place)
    for (Translated t(levels.across->program(parts.across(p.elements), group), across);
         t.next(counterpart);)
      co_yield t.round();
  for (Translated t(levels.within->program(parts.within(parts.last(), group, p.elements), place),
                    within);
       t.next(beside);)
    co_yield t.round();
}

Cost operator+(const Cost& a, const Cost& b) {
  return {a.messages + b.messages, a.elements + b.elements, a.rounds + b.rounds};
}

// The sum of what two groups do at the same time.
void add_beside(Cost& sum, const Cost& cost) {
  sum = {sum.messages + cost.messages, sum.elements + cost.elements,
         std::max(sum.rounds, cost.rounds)};
}

}  // namespace

bool TwoLevels::has_blocks() const { return takes(*within, Collective::reduce_scatter); }

Program TwoLevels::program(Problem p, Rank me) const { return run(*this, p, me); }

Cost TwoLevels::cost(const Problem& p) const {
  const Parts parts(*this, p);
  const Rank count = p.groups->count();
  const bool dealt = parts.blocks && deals(*this, count);
  Cost first, between, last;
  for (Rank g = 0; g < count; ++g) {
    const Rank size = p.groups->size_of(g);
    if (g > 0 && p.groups->even_size() > 0) break;
    const auto of = [&](Collective collective) {
      return LevelChunks(p, size, dealt).cost([&](Count n) {
        return within->cost_model(parts.within(collective, g, n));
      });
    };
    add_beside(first, of(parts.first()));
    add_beside(last, of(parts.last()));
  }
  if (p.groups->even_size() > 0)
    for (Cost* const level : {&first, &last}) {
      level->messages *= count;
      level->elements *= count;
    }
  if (!parts.blocks) {
    between = LevelChunks(p, count, false).cost([&](Count n) {
      return across->cost_model(parts.across(n));
    });
    return first + between + last;
  }
  const LevelChunks blocks(p, p.groups->even_size(), dealt);
  for (Rank place = 0; place < p.groups->even_size(); ++place)
    add_beside(between, across->cost_model(parts.across(blocks.size(place))));
  return first + between + last;
}

Cost TwoLevels::rank_cost(const Problem& p, Rank me) const {
  const Parts parts(*this, p);
  const Rank group = p.groups->group_of(me), place = p.groups->place_of(me);
  const Rank count = p.groups->count();
  const LevelChunks blocks(p, p.groups->size_of(group), parts.blocks && deals(*this, count));
  const auto beside = [&](Collective collective) {
    return blocks.cost([&](Count n) {
      return within->rank_cost_model(parts.within(collective, group, n), place);
    });
  };
  const Cost ends = beside(parts.first()) + beside(parts.last());
  if (parts.blocks) return ends + across->rank_cost_model(parts.across(blocks.size(place)), group);
  if (place != parts.place) return ends;
  return ends + LevelChunks(p, count, false).cost([&](Count n) {
    return across->rank_cost_model(parts.across(n), group);
  });
}

std::string TwoLevels::unsupported_reason(const Problem& p) const {
  if (!p.groups)
    return "hierarchical needs to know which ranks share a node (from groups, or a topology "
           "that has them)";
  const Groups& groups = *p.groups;
  const Rank count = groups.count(), least = smallest_group(groups);
  const Rank largest = largest_group(groups);
  if (has_blocks()) {
    if (groups.even_size() == 0)
      return concat(within->name, " within groups needs groups of equal size, but these have ",
                    least, " to ", groups.size_of(largest),
                    " ranks: take master_worker, tree or chain within groups");
    const bool many = within->carries > Carries::one_chunk && groups.even_size() > 1;
    if (many && count > 1 && within->carries == Carries::any_set)
      return concat(within->name,
                    " within groups sends chunks with strides, which are not chunks of the whole "
                    "vector: take circulant or ring within groups");
    if (many && deals(*this, count))
      return concat(within->name, " within groups sends several chunks at once, and ", across->name,
                    " between groups sends them around the end of a block: take ring or "
                    "round_robin within groups");
  } else if (across->carries == Carries::any_set && count > 1) {
    return concat(across->name,
                  " between leaders sends chunks with strides, which are not chunks of the whole "
                  "vector: take circulant between groups");
  }
  Problem lane = p;
  const Count lanes = has_blocks() ? 1 : leaders_of(*this, groups);
  for (Count leader = 0; leader < lanes; ++leader) {
    lane.lane = static_cast<std::int32_t>(leader * across->lanes);
    const Parts parts(*this, lane);
    Rank seen = 0;  // the size that the last group had
    for (Rank g = 0; g < count; ++g) {
      if (groups.size_of(g) == seen) continue;
      seen = groups.size_of(g);
      for (const Collective half : {parts.first(), parts.last()})
        if (const std::string why = unsupported(*within, parts.within(half, g, p.elements));
            !why.empty())
          return concat("within groups: ", why);
    }
    if (const std::string why = unsupported(*across, parts.across(p.elements)); !why.empty())
      return concat("between groups: ", why);
    if (has_blocks()) continue;
    // Groups that are ready at different times: the longest chain leads through the largest one.
    const auto rounds_in = [&](Rank g) {
      return within->cost_model(parts.within(parts.first(), g, 1)).rounds;
    };
    bool same = true;
    for (Rank g = 0; g < count; ++g) same = same && rounds_in(g) == rounds_in(largest);
    if (!same && across->rank_cost_model(parts.across(1), largest).rounds !=
                     across->cost_model(parts.across(1)).rounds)
      return concat(across->name,
                    " between groups of unequal size has no closed form of its "
                    "rounds: take ring, butterfly or tree between groups");
  }
  return "";
}

std::vector<Count> TwoLevels::lane_weights(const Problem& p) const {
  const Count lanes = has_blocks() || !p.groups ? 1 : leaders_of(*this, *p.groups);
  return std::vector<Count>(index(static_cast<Rank>(lanes * across->lanes)), 1);
}

}  // namespace arlab
