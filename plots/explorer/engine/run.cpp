// A symbolic run: the messages of every step, what every rank then holds, and whether that is
// correct. Steps count rounds along the longest path of messages, as in `arlab show`.
#include <algorithm>
#include <cmath>
#include <functional>
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
                                     receive.round, a.chunks.stride,
                                     carried(send.rank, send.action->chunks)});
    return SymbolicState::on_match(send, receive);
  }

  // A transfer through switches is a message from each member that gives to each other one that
  // takes, all with the transfer's number.
  Fault on_team(std::span<const End> members) {
    const Count number = transfers_++;
    for (const End& to : members)
      for (const End& from : members) {
        if (!to.action->takes() || !from.action->gives() || from.rank == to.rank) continue;
        const Chunks& c = to.action->chunks;
        coming_[to.rank].push_back({from.rank, to.rank, c.first, c.count, 1, from.round, to.round,
                                    c.stride, carried(from.rank, c), number});
      }
    return SymbolicState::on_team(members);
  }

  Fault on_round_end(Rank rank, Count number, Count step, Round round) {
    Fault fault = SymbolicState::on_round_end(rank, number, round);
    Step& now = steps_[step];
    for (Json& message : coming_[rank]) now.messages.push_back(std::move(message));
    coming_[rank].clear();
    std::vector<bool> noted(index(problem().parts()));
    for (const Action& a : round) {
      if (a.sends() || a.kind == ActionKind::give) continue;
      for_each_chunk(a.chunks, problem().parts(), [&](Rank c) {
        if (noted[index(c)]) return;
        noted[index(c)] = true;
        now.changes.push_back({rank, c, held(rank, c)});
      });
    }
    return fault;
  }

  // {messages: [[from, to, first chunk, chunks, adds, its round, the receiver's,
  //              stride, sums carried, number of the transfer through switches if it is
  //              one]...],
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
  // The sum that the rank holds of each of the chunks; one number if they are equal.
  Json carried(Rank rank, const Chunks& chunks) const {
    std::vector<SumTrees::Id> ids;
    for_each_chunk(chunks, problem().parts(), [&](Rank c) { ids.push_back(held(rank, c)); });
    if (std::adjacent_find(ids.begin(), ids.end(), std::not_equal_to<>()) != ids.end()) return ids;
    return ids.empty() ? Json(SumTrees::kNothing) : Json(ids[0]);
  }

  struct Step {
    Json::array_t messages, changes;
  };
  std::map<Rank, Json::array_t> coming_;  // received in unfinished rounds
  std::map<Count, Step> steps_;
  Count transfers_ = 0;
};

Program replayed(std::shared_ptr<const std::vector<Rounds>> all, Rank me) {
  for (const auto& round : (*all)[static_cast<std::size_t>(me)]) co_yield Round(round);
}

// The ranks whose contributions are in the sum, those that are in it twice listed twice.
std::vector<Rank> whose(const SumTrees& sums, SumTrees::Id id, Rank ranks) {
  std::vector<Rank> all;
  if (sums.contributions(id) > 0) {
    for (Rank r = 0; r < ranks; ++r)
      if (sums.has(id, r)) all.push_back(r);
    return all;
  }
  constexpr std::size_t kLimit = 20'000;  // characters
  const std::string order = sums.bracketing(id, kLimit);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < '0' || order[i] > '9') continue;
    Rank rank = 0;
    for (; i < order.size() && order[i] >= '0' && order[i] <= '9'; ++i)
      rank = rank * 10 + (order[i] - '0');
    all.push_back(rank);
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Which ranks' contributions are in each sum, as hexadecimal digits, the last bit that of rank 0;
// and by number of the sum those that are in it more than once.
void put_contributions(Json& answer, const SumTrees& sums, Rank ranks) {
  Json counts = Json::array(), sets = Json::array(), repeated = Json::object();
  for (SumTrees::Id id = 0; id < sums.count(); ++id) {
    std::string digits;
    for (Rank low = (ranks - 1) / 4 * 4; low >= 0; low -= 4) {
      int digit = 0;
      for (Rank r = low; r < std::min(low + 4, ranks); ++r)
        digit |= sums.has(id, r) ? 1 << (r - low) : 0;
      digits += "0123456789abcdef"[digit];
    }
    counts.push_back(sums.contributions(id));
    sets.push_back(std::move(digits));
    if (sums.contributions(id) == 0) repeated[std::to_string(id)] = whose(sums, id, ranks);
  }
  answer["contributions"] = std::move(counts);
  answer["whose"] = std::move(sets);
  answer["repeated"] = std::move(repeated);
}

// The same rounds whenever they are asked for.
Schedule schedule_from(std::vector<Rounds> all) {
  const auto kept = std::make_shared<const std::vector<Rounds>>(std::move(all));
  return [kept](Rank me) { return replayed(kept, me); };
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

struct Run {
  Task task;
  Algorithm shown;  ///< with a chunk per rank, for the columns of a page, unless asked for "pieces"
  Lane lane;        ///< the one that is shown
  std::size_t lanes = 0, number = 0;
  Schedule schedule;
  bool edited = false;  ///< its costs are not those of an algorithm
};

Run parse_run(const Json& request) {
  Run run;
  run.task = parse_task(request);
  run.edited = static_cast<bool>(run.task.fault);
  run.shown = run.task.algorithm;
  if (!request.contains("pieces")) run.shown.chunks_per_rank = {};
  const auto lanes = lanes_of(run.shown, run.task.problem, run.task.segments);
  run.lanes = lanes.size();
  run.number = lanes.empty() ? 0 : std::min(run.task.lane, lanes.size() - 1);
  run.lane = lanes.empty() ? Lane{run.task.problem} : lanes[run.number];
  run.schedule = schedule_of(run.shown, run.lane.problem);
  if (request.contains("schedule")) {
    const Json& ranks = request["schedule"];
    if (!ranks.is_array() || ranks.size() != static_cast<std::size_t>(run.task.problem.ranks))
      fail(Blame::usage, "a schedule has the rounds of every rank");
    std::vector<Rounds> all;
    for (const Json& rank : ranks) all.push_back(parse_rounds(rank));
    run.schedule = schedule_from(std::move(all));
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
  if (run.task.algorithm.in_network) letters["Q"] = 1;  // a piece per rank
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

// Without a "lane" it shows the first, and what all lanes cost and prove together.
Json run_json(const Json& request) {
  const Run run = parse_run(request);
  const Problem& p = run.lane.problem;
  Steps steps(p);
  Json start = Json::array(), chunks = Json::array();
  for (Rank c = 0; c < p.parts(); ++c) chunks.push_back(p.blocks().size(c));
  for (Rank r = 0; r < p.ranks; ++r)
    for (Rank c = 0; c < p.parts(); ++c) start.push_back(steps.held(r, c));
  match_schedule(p, run.schedule, steps.callbacks());
  const Task& task = run.task;
  const bool whole = !run.edited && !request.contains("lane");
  const Proof proof =
      whole ? verify(task.algorithm, task.problem, task.segments) : verify(p, run.schedule);
  Json answer{{"lanes", run.lanes},
              {"lane", run.number},
              {"offset", run.lane.offset},
              {"segments", task.segments},
              {"pieces", task.algorithm.chunks_per_rank ? task.algorithm.chunks_per_rank(p) : 1},
              {"layout", task.layout.text},
              {"elements", p.elements},
              {"chunks", std::move(chunks)},
              {"start", std::move(start)},
              {"steps", steps.json()},
              {"fault", fault_json(proof.fault)},
              {"bracketing", proof.bracketing},
              {"same_on_all_ranks", proof.same_on_all_ranks}};
  put_contributions(answer, steps.sums(), p.ranks);
  Json schedule = Json::array();
  for (Rank r = 0; r < p.ranks; ++r) schedule.push_back(rounds_json(run.schedule(r)));
  answer["schedule"] = std::move(schedule);
  if (!whole) return answer;
  const Cost claimed = predicted_cost(task.algorithm, task.problem, task.segments);
  answer["letters"] = letters_json(run, claimed);
  answer["claimed"] = cost_json(claimed);
  answer["counted"] = cost_json(count(task.algorithm, task.problem, task.segments).all);
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
  return {{"ranks", whose(steps.sums(), sum, run.lane.problem.ranks)},
          {"bracketing", steps.sums().bracketing(sum, kLimit)}};
}

}  // namespace arlab::explorer
