// Schedules that readers wrote: in a file, or as programs of the page.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/verify/script.hpp"
#include "algorithms/verify/verify.hpp"
#include "plots/explorer/engine/request.hpp"

namespace arlab::explorer {
namespace {

constexpr Count kMostWeight = 1'000'000'000'000;

Program scripted(std::shared_ptr<const Script> script, std::size_t lane, Rank me) {
  for (const auto& round : script->lanes[lane].ranks[static_cast<std::size_t>(me)])
    co_yield Round(round);
}

Script parse_own(const Json& request, const Problem& problem) {
  Script script;
  script.name = "own";
  script.source = text(request, "name", "the schedule");
  script.ranks = problem.ranks;
  script.root = problem.root;
  const Json& lanes = request["own"];
  if (!lanes.is_array() || lanes.empty() || lanes.size() > 64)
    fail(Blame::usage, "a schedule has 1 to 64 lanes");
  Count actions = 0;
  for (const Json& lane : lanes) {
    if (!lane.is_array() || lane.size() != 2 || !lane[1].is_array() ||
        lane[1].size() != static_cast<std::size_t>(problem.ranks))
      fail(Blame::usage, "a lane is [weight, the rounds of every rank]");
    Script::ScriptLane& made = script.lanes.emplace_back();
    made.weight = whole_number(lane[0], "the weight of a lane");
    if (made.weight < 1 || made.weight > kMostWeight)
      fail(Blame::usage,
           concat("the weight of a lane is ", made.weight, ": give 1 to ", kMostWeight));
    for (const Json& rank : lane[1]) {
      made.ranks.push_back(parse_rounds(rank));
      for (const auto& round : made.ranks.back()) actions += static_cast<Count>(round.size());
    }
  }
  if (actions > 2 * kMaxMessages)
    fail(Blame::usage, concat(actions, " actions are more than a page shows (", 2 * kMaxMessages,
                              "): use fewer ranks"));
  return script;
}

}  // namespace

Rounds parse_rounds(const Json& json) {
  constexpr int kMost = 1000;
  if (!json.is_array()) fail(Blame::usage, "the rounds of a rank are a list, not " + json.dump());
  Rounds rounds;
  for (const Json& round : json) {
    if (!round.is_array()) fail(Blame::usage, "a round is a list of actions, not " + round.dump());
    std::vector<Action>& actions = rounds.emplace_back();
    for (const Json& a : round) {
      const bool whole =
          a.is_array() && a.size() == 5 && std::all_of(a.begin(), a.end(), [](const Json& part) {
            return part.is_number_integer() && part.get<Count>() >= -kMost &&
                   part.get<Count>() <= kMost;
          });
      const auto kinds = static_cast<int>(ActionKind::join) + 1;
      if (!whole || a[0].get<int>() < 0 || a[0].get<int>() >= kinds)
        fail(Blame::usage, "an action is [kind, peer, chunk, chunks, stride], not " + a.dump());
      actions.push_back({static_cast<ActionKind>(a[0].get<int>()),
                         a[1].get<Rank>(),
                         {a[2].get<Rank>(), a[3].get<Rank>(), a[4].get<Rank>()}});
    }
  }
  return rounds;
}

Task own_task(const Json& request, const Problem& problem) {
  Task task{.problem = problem};
  check(task.problem);
  task.segments = segments_of(request, task.algorithm, problem);
  task.lane = static_cast<std::size_t>(number(request, "lane", 0));
  const auto script = std::make_shared<const Script>(parse_own(request, problem));
  std::vector<Count> weights;
  for (std::size_t lane = 0; lane < script->lanes.size(); ++lane) {
    weights.push_back(script->lanes[lane].weight);
    if (task.fault) continue;
    Problem part = problem;
    part.lane = static_cast<std::int32_t>(lane);
    task.fault = verify(part, [&](Rank me) { return scripted(script, lane, me); }).fault;
    if (task.fault) task.lane = lane;
  }
  if (!task.fault) {
    task.algorithm = algorithm_of(script);
    return task;
  }
  task.algorithm.name = "own";
  task.algorithm.collectives = {Collective::allreduce};
  task.algorithm.lanes = static_cast<std::int32_t>(weights.size());
  task.algorithm.lane_weights = [weights](const Problem&) { return weights; };
  task.algorithm.program = [script](Problem p, Rank me) {
    return scripted(script, static_cast<std::size_t>(p.lane), me);
  };
  return task;
}

}  // namespace arlab::explorer
