#include "algorithms/verify/script.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/chunk_hits.hpp"
#include "algorithms/verify/verify.hpp"

namespace arlab {
namespace {

using Shared = std::shared_ptr<const Script>;

Program program(Shared script, Problem p, Rank me) {
  for (const auto& round : script->lanes[index(p.lane)].ranks[index(me)]) co_yield Round(round);
}

Cost rank_cost(const Script& script, const Problem& p, Rank me) {
  const Script::Rounds& rounds = script.lanes[index(p.lane)].ranks[index(me)];
  Cost cost{0, 0, static_cast<Count>(rounds.size())};
  for (const auto& round : rounds)
    for (const Action& a : round)
      if (a.sends()) add_message(p.blocks(), a.chunks, cost);
  return cost;
}

void check(const Script& script) {
  const auto wrong = [&](const std::string& what) {
    fail(Blame::usage, concat(script.source, ": ", what));
  };
  if (script.ranks < 1) wrong(concat("ranks is ", script.ranks, ": give at least 1"));
  if (script.root < 0 || script.root >= script.ranks)
    wrong(concat("root is ", script.root, ", but the ranks are 0 to ", script.ranks - 1));
  const Rank most = std::numeric_limits<Rank>::max() / script.ranks;
  const bool one_each = script.collective == Collective::reduce_scatter ||
                        script.collective == Collective::all_gather;
  if (script.lanes.empty()) wrong("no lane: give at least one");
  for (std::size_t i = 0; i < script.lanes.size(); ++i) {
    const Script::ScriptLane& lane = script.lanes[i];
    if (lane.weight < 1)
      wrong(concat("lane ", i, " has ", lane.weight, " elements: give at least 1"));
    if (lane.turn.channel >= static_cast<Count>(script.lanes.size()))
      wrong(concat("lane ", i, " is a piece of channel ", lane.turn.channel, ": of ",
                   script.lanes.size(), " lanes, number channels from 0 on"));
    const Rank chunks = lane.chunks_per_rank;
    if (chunks < 1 || chunks > most)
      wrong(concat("chunks_per_rank is ", chunks, ": give 1 to ", most));
    if (chunks > 1 && one_each)
      wrong(concat("chunks_per_rank is ", chunks, ", but ", name(script.collective),
                   " gives each rank one chunk: give 1"));
    if (lane.ranks.size() != index(script.ranks))
      wrong(concat("lane ", i, " has the rounds of ", lane.ranks.size(), " ranks, but ranks is ",
                   script.ranks));
  }
}

}  // namespace

Algorithm algorithm_of(Shared script) {
  check(*script);
  const auto lane_problem = [&](std::size_t lane) {
    const Rank chunks = script->lanes[lane].chunks_per_rank;
    return Problem{.collective = script->collective,
                   .ranks = script->ranks,
                   .elements = Count{script->ranks} * chunks,
                   .root = script->root,
                   .lane = static_cast<std::int32_t>(lane),
                   .chunks_per_rank = chunks};
  };
  std::vector<Count> weights, rounds;
  for (std::size_t i = 0; i < script->lanes.size(); ++i) {
    const Problem p = lane_problem(i);
    const Schedule schedule = [&](Rank me) { return program(script, p, me); };
    if (const Proof proof = verify(p, schedule); !proof)
      fail(Blame::usage, concat(script->source, ": lane ", i, ": ", proof.fault.text));
    weights.push_back(script->lanes[i].weight);
    rounds.push_back(match_schedule(p, schedule).rounds);
  }
  Algorithm made{.name = script->name,
                 .label = script->name,
                 .color = "#000000",
                 .family = "split",
                 .summary = "a schedule from a file",
                 .source = script->source,
                 .formula = {"counted", "counted", "counted"},
                 .collectives = {script->collective},
                 .lanes = static_cast<std::int32_t>(weights.size()),
                 .has_formula = false,
                 .chained = Chained::no};
  made.program = [script](Problem p, Rank me) { return program(script, p, me); };
  made.rank_cost_model = [script](const Problem& p, Rank me) { return rank_cost(*script, p, me); };
  made.cost_model = [script, rounds](const Problem& p) {
    Cost all{0, 0, rounds[index(p.lane)]};
    for (Rank r = 0; r < p.ranks; ++r) {
      const Cost cost = rank_cost(*script, p, r);
      all.messages += cost.messages;
      all.elements += cost.elements;
    }
    return all;
  };
  if (std::ranges::any_of(script->lanes, [](const auto& lane) { return lane.chunks_per_rank > 1; }))
    made.chunks_per_rank = [script](const Problem& p) {
      return script->lanes[index(p.lane)].chunks_per_rank;
    };
  if (std::ranges::any_of(script->lanes, [](const auto& lane) { return lane.turn.waits(); }))
    made.turn = [script](const Problem& p) { return script->lanes[index(p.lane)].turn; };
  made.lane_weights = [weights](const Problem&) { return weights; };
  made.unsupported_reason = [script](const Problem& p) -> std::string {
    if (p.ranks != script->ranks)
      return concat(script->name, " is a schedule for ", script->ranks, " ranks, not ", p.ranks);
    if (p.root != script->root)
      return concat(script->name, " is a schedule with root ", script->root, ", not ", p.root);
    return "";
  };
  return made;
}

}  // namespace arlab
