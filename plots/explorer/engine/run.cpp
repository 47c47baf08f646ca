// A symbolic run: the messages of every step, what every rank then holds, and whether that is
// correct. Steps count rounds along the longest path of messages, as in `arlab show`.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/symbolic_state.hpp"
#include "algorithms/verify/verify.hpp"
#include "plots/explorer/engine/request.hpp"

namespace arlab::explorer {
namespace {

using Rounds = std::vector<std::vector<Action>>;  // of one rank

class Steps : public SymbolicState {
 public:
  using SymbolicState::SymbolicState;

  MatchCallbacks callbacks() {
    MatchCallbacks callbacks;
    callbacks.on_match = [this](const End& send, const End& receive) {
      return on_match(send, receive);
    };
    callbacks.on_team = [this](std::span<const End> members) { return on_team(members); };
    callbacks.on_round_end = [this](Rank rank, Count number, Count step, Round round) {
      return on_round_end(rank, number, step, round);
    };
    return callbacks;
  }

  Fault on_match(const End& send, const End& receive) {
    const Action& a = *receive.action;
    coming_[receive.rank].push_back({send.rank, receive.rank, a.chunks.first, a.chunks.count,
                                     a.kind == ActionKind::reduce ? 1 : 0, send.round,
                                     receive.round, a.chunks.stride});
    return SymbolicState::on_match(send, receive);
  }

  // A transfer through switches is drawn as a message from each member that gives to each other one
  // that takes.
  Fault on_team(std::span<const End> members) {
    for (const End& to : members)
      for (const End& from : members) {
        if (!to.action->takes() || !from.action->gives() || from.rank == to.rank) continue;
        const Chunks& c = to.action->chunks;
        coming_[to.rank].push_back(
            {from.rank, to.rank, c.first, c.count, 1, from.round, to.round, c.stride});
      }
    return SymbolicState::on_team(members);
  }

  Fault on_round_end(Rank rank, Count number, Count step, Round round) {
    Fault fault = SymbolicState::on_round_end(rank, number, round);
    Step& now = steps_[step];
    for (Json& message : coming_[rank]) now.messages.push_back(std::move(message));
    coming_[rank].clear();
    std::vector<bool> noted(static_cast<std::size_t>(problem().ranks));
    for (const Action& a : round) {
      if (a.sends() || a.kind == ActionKind::give) continue;
      for_each_chunk(a.chunks, problem().ranks, [&](Rank c) {
        if (noted[index(c)]) return;
        noted[index(c)] = true;
        now.changes.push_back({rank, c, held(rank, c)});
      });
    }
    return fault;
  }

  // {messages: [[from, to, first chunk, chunks, adds, its round, the receiver's,
  //              stride]...],
  //  changes: [[rank, chunk, id]...]}
  Json json() {
    Json all = Json::array();
    for (auto& [number, step] : steps_) {
      const auto earlier = [](const Json& a, const Json& b) { return a < b; };
      std::sort(step.messages.begin(), step.messages.end(), earlier);
      all.push_back({{"messages", step.messages}, {"changes", step.changes}});
    }
    return all;
  }

 private:
  struct Step {
    Json::array_t messages, changes;
  };
  std::map<Rank, Json::array_t> coming_;  // received in unfinished rounds
  std::map<Count, Step> steps_;
};

Program replay(Rounds rounds) {
  for (const auto& round : rounds) co_yield Round(round);
}

Json rounds_json(Program program) {
  Json rounds = Json::array();
  while (program.next()) {
    Json round = Json::array();
    for (const Action& a : program.round())
      round.push_back(
          {static_cast<int>(a.kind), a.peer, a.chunks.first, a.chunks.count, a.chunks.stride});
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// [[kind, peer, first chunk, chunks, stride]...]...: the format of rounds_json.
Rounds parse_rounds(const Json& json) {
  Rounds rounds;
  for (const Json& round : json) {
    std::vector<Action>& actions = rounds.emplace_back();
    for (const Json& a : round) {
      const bool whole =
          a.is_array() && a.size() == 5 && std::all_of(a.begin(), a.end(), [](const Json& part) {
            return part.is_number_integer() && part.get<Count>() >= -1000 &&
                   part.get<Count>() <= 1000;
          });
      if (!whole || a[0].get<int>() < 0 || a[0].get<int>() > 2)
        fail(Blame::usage, "an action is [kind, peer, chunk, chunks, stride], not " + a.dump());
      actions.push_back({static_cast<ActionKind>(a[0].get<int>()),
                         a[1].get<Rank>(),
                         {a[2].get<Rank>(), a[3].get<Rank>(), a[4].get<Rank>()}});
    }
  }
  return rounds;
}

struct Run {
  Task task;
  Lane lane;
  std::size_t lanes = 0;
  Schedule schedule;
  bool edited = false;
};

Run parse_run(const Json& request) {
  Run run;
  run.task = parse_task(request);
  const auto lanes = lanes_of(run.task.algorithm, run.task.problem, run.task.segments);
  run.lanes = lanes.size();
  run.lane =
      lanes.empty() ? Lane{run.task.problem} : lanes[std::min(run.task.lane, lanes.size() - 1)];
  run.schedule = schedule_of(run.task.algorithm, run.lane.problem);
  if (request.contains("schedule")) {
    const Json& ranks = request["schedule"];
    if (!ranks.is_array() || ranks.size() != static_cast<std::size_t>(run.task.problem.ranks))
      fail(Blame::usage, "a schedule has the rounds of every rank");
    std::vector<Rounds> all;
    for (const Json& rank : ranks) all.push_back(parse_rounds(rank));
    run.schedule = [all](Rank me) { return replay(all[static_cast<std::size_t>(me)]); };
    run.edited = true;
  }
  return run;
}

Json fault_json(const Fault& fault) {
  if (!fault) return nullptr;
  return {{"kind", name(fault.kind)},
          {"rank", fault.rank},
          {"round", fault.round},
          {"chunk", fault.chunk},
          {"text", fault.text}};
}

// The values of the letters in the algorithm's formula, but for m and N: of its settings, and of
// what it knows of the ranks. "d" is a list, of the sizes of a torus.
Json letters_json(const Run& run, const Cost& claimed) {
  Json letters = Json::object();
  const Layout& layout = run.task.layout;
  for (const Parameter& p : run.task.algorithm.parameters)
    if (p.name.size() == 1) letters[std::string(p.name)] = std::llround(default_of(p));
  if (layout.groups) {
    bool equal = true;
    for (Rank g = 1; g < layout.groups->count(); ++g)
      equal = equal && layout.groups->size_of(g) == layout.groups->size_of(0);
    letters["G"] = layout.groups->count();
    if (equal) letters["S"] = layout.groups->size_of(0);
  }
  if (layout.grid) {
    letters["D"] = layout.grid->dimensions();
    for (int i = 0; i < layout.grid->dimensions(); ++i)
      letters["d"].push_back(layout.grid->size(i));
  }
  if (layout.forest) {
    Rank height = 0;
    for (std::size_t tree = 0; tree < layout.forest->trees().size(); ++tree)
      height = std::max(height, layout.forest->height(tree));
    letters["T"] = run.lanes;
    letters["h"] = height;
    const Count each = 2 * Count{run.task.problem.ranks - 1} * static_cast<Count>(run.lanes);
    if (each > 0 && claimed.messages % each == 0) letters["Q"] = claimed.messages / each;
  }
  return letters;
}

}  // namespace

Json run_json(const Json& request) {
  const Run run = parse_run(request);
  const Problem& p = run.lane.problem;
  Steps steps(p);
  Json start = Json::array(), chunks = Json::array(), counts = Json::array();
  for (Rank r = 0; r < p.ranks; ++r) {
    chunks.push_back(p.blocks().size(r));
    for (Rank c = 0; c < p.ranks; ++c) start.push_back(steps.held(r, c));
  }
  match_schedule(p, run.schedule, steps.callbacks());
  for (SumTrees::Id id = 0; id < steps.sums().count(); ++id)
    counts.push_back(steps.sums().contributions(id));
  const Proof proof = verify(p, run.schedule);
  Json answer{{"lanes", run.lanes},
              {"layout", run.task.layout.text},
              {"elements", p.elements},
              {"chunks", std::move(chunks)},
              {"start", std::move(start)},
              {"steps", steps.json()},
              {"contributions", std::move(counts)},
              {"fault", fault_json(proof.fault)},
              {"bracketing", proof.bracketing},
              {"same_on_all_ranks", proof.same_on_all_ranks}};
  Json schedule = Json::array();
  for (Rank r = 0; r < p.ranks; ++r) schedule.push_back(rounds_json(run.schedule(r)));
  answer["schedule"] = std::move(schedule);
  if (run.edited) return answer;
  const Cost claimed = predicted_cost(run.task.algorithm, run.task.problem, run.task.segments);
  answer["letters"] = letters_json(run, claimed);
  answer["claimed"] = cost_json(claimed);
  answer["counted"] = cost_json(count(run.task.algorithm, run.task.problem, run.task.segments).all);
  return answer;
}

// Explains the sum "id": the ranks that contributed to it, and the order of additions.
Json explain_json(const Json& request) {
  const Run run = parse_run(request);
  Steps steps(run.lane.problem);
  match_schedule(run.lane.problem, run.schedule, steps.callbacks());
  const Count id = number(request, "id", -1);
  if (id < 0 || id >= steps.sums().count())
    fail(Blame::usage,
         "id is " + std::to_string(id) + ": give 0 to " + std::to_string(steps.sums().count() - 1));
  constexpr std::size_t kLimit = 2000;  // characters
  const auto sum = static_cast<SumTrees::Id>(id);
  Json ranks = Json::array();
  for (Rank r = 0; r < run.lane.problem.ranks; ++r)
    if (steps.sums().has(sum, r)) ranks.push_back(r);
  return {{"ranks", std::move(ranks)}, {"bracketing", steps.sums().bracketing(sum, kLimit)}};
}

}  // namespace arlab::explorer
