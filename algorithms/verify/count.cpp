#include "algorithms/verify/count.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

void add_sends(const Blocks& blocks, Round round, Cost& cost) {
  for (const Action& a : round) {
    if (!a.sends() && !a.gives()) continue;
    const Count elements = blocks.size(a.chunks);
    cost.elements += elements;
    cost.messages += elements > 0 ? 1 : 0;
  }
}

}  // namespace

Counts count(const Algorithm& algorithm, const Problem& problem, int segments) {
  Counts counts;
  counts.rank.resize(index(problem.ranks));
  for (const Lane& lane : lanes_of(algorithm, problem, segments)) {
    MatchCallbacks callbacks;
    callbacks.on_round_start = [&, blocks = lane.problem.blocks()](Rank r, Count, Round round) {
      add_sends(blocks, round, counts.rank[index(r)]);
      return Fault{};
    };
    const MatchResult matched = match_schedule(algorithm, lane.problem, callbacks);
    if (matched.fault) fail(Blame::check, concat(algorithm.name, ": ", matched.fault.text));
    counts.all.rounds = std::max(counts.all.rounds, matched.rounds);
    for (std::size_t r = 0; r < counts.rank.size(); ++r)
      counts.rank[r].rounds = std::max(counts.rank[r].rounds, matched.rank_rounds[r]);
  }
  for (const Cost& cost : counts.rank) {
    counts.all.messages += cost.messages;
    counts.all.elements += cost.elements;
  }
  return counts;
}

}  // namespace arlab
