#include "algorithms/verify/match_schedule.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/stop.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/pending_actions.hpp"
#include "algorithms/teams.hpp"
#include "algorithms/verify/action_text.hpp"
#include "algorithms/verify/round_check.hpp"

namespace arlab {
namespace {

class ScheduleMatcher {
 public:
  ScheduleMatcher(const Problem& problem, const Schedule& schedule, const RoundLimit& limit,
                  const MatchCallbacks& callbacks)
      : problem_(problem),
        limit_(limit),
        callbacks_(callbacks),
        actors_(index(problem.ranks)),
        team_actions_(problem) {
    for (Rank r = 0; r < problem.ranks; ++r) at(r).program = schedule(r);
  }

  MatchResult run() {
    for (Rank r = problem_.ranks - 1; r >= 0; --r) ready_.push_back(r);
    while (!ready_.empty() && !result_.fault) {
      stop_if_asked();
      const Rank r = ready_.back();
      ready_.pop_back();
      step(r);
    }
    for (Rank r = 0; r < problem_.ranks && !result_.fault; ++r)
      if (!at(r).ended) result_.fault = stuck_fault(r);
    for (const Actor& a : actors_) {
      result_.rank_rounds.push_back(a.round);
      result_.rounds = std::max(result_.rounds, a.depth);
    }
    return std::move(result_);
  }

 private:
  struct Actor {
    Program program;
    PendingActions pending;
    Count round = 0;       // the rank's own, counted from 1
    Count depth = 0;       // longest chain of rounds up to the start of this round
    Count next_depth = 0;  // ... and up to its end
    Count in_teams = 0;    // unmatched actions of teams, which `pending` does not hold
    bool posted = false;
    bool ended = false;
    bool has_matched() const { return pending.left() == 0 && in_teams == 0; }
  };

  Actor& at(Rank r) { return actors_[index(r)]; }
  std::string described(const Action& a) const { return action_text(a, problem_.ranks); }

  // Posts the rank's next round and matches its actions with those that others have posted.
  void step(Rank r) {
    Actor& me = at(r);
    me.posted = false;
    if (!me.program.next()) {
      me.ended = true;
      return;
    }
    const Round round = me.program.round();
    if (++me.round > limit_.rounds()) {
      result_.fault = {Fault::Kind::endless, r, me.round, 0, limit_.text(r)};
      return;
    }
    me.next_depth = me.depth + 1;
    if ((result_.fault = check_round(problem_, r, me.round, round))) return;
    if (callbacks_.on_round_start &&
        (result_.fault = callbacks_.on_round_start(r, me.round, round)))
      return;
    me.pending.post(round);
    me.posted = true;
    for (std::size_t i = 0; i < round.size(); ++i)
      if (round[i].in_team()) me.pending.drop(i), ++me.in_teams;
    match_posted(r, round);
    if (!result_.fault && me.has_matched()) end_round(r);
  }

  void match_posted(Rank r, Round round) {
    Actor& me = at(r);
    for (std::size_t i = 0; i < round.size() && !result_.fault; ++i) {
      const Action& a = round[i];
      if (a.in_team()) {
        match_team(r, team_actions_.post(a.peer, r, static_cast<int>(i)));
        continue;
      }
      if (!at(a.peer).posted) continue;
      const int theirs = at(a.peer).pending.take(r, !a.sends());
      if (theirs == PendingActions::kNone) continue;
      const int mine = me.pending.take(a.peer, a.sends());
      match(r, mine, a.peer, theirs);
      if (!result_.fault && at(a.peer).has_matched()) end_round(a.peer);
    }
  }

  // `poster` ends its round itself.
  void match_team(Rank poster, const std::vector<TeamActions<int>::Part>& parts) {
    if (parts.empty()) return;
    std::vector<End> ends;
    for (const auto& part : parts) ends.push_back(end_of(part.rank, part.place));
    if ((result_.fault = check_team(ends))) return;
    Count depth = 0;
    for (const End& end : ends)
      if (end.action->gives()) depth = std::max(depth, at(end.rank).depth + 1);
    for (const End& end : ends)
      if (end.action->takes()) at(end.rank).next_depth = std::max(at(end.rank).next_depth, depth);
    if (callbacks_.on_team && (result_.fault = callbacks_.on_team(ends))) return;
    for (const End& end : ends) {
      --at(end.rank).in_teams;
      if (end.rank != poster && at(end.rank).has_matched()) end_round(end.rank);
      if (result_.fault) return;
    }
  }

  // The members name the same chunks, some give and some take.
  Fault check_team(const std::vector<End>& ends) {
    const End& first = ends.front();
    for (const End& end : ends)
      if (end.action->chunks != first.action->chunks)
        return {Fault::Kind::mismatched, end.rank, end.round, end.action->chunks.first,
                concat(place_text(end.rank, end.round), described(*end.action), ", but rank ",
                       first.rank, " in its round ", first.round, ": ", described(*first.action))};
    const auto none = [&](bool (Action::*does)() const, std::string_view what) -> Fault {
      if (std::any_of(ends.begin(), ends.end(), [&](const End& e) { return (e.action->*does)(); }))
        return {};
      return {Fault::Kind::unmatched, first.rank, first.round, first.action->chunks.first,
              concat(place_text(first.rank, first.round), described(*first.action),
                     ", but no member ", what)};
    };
    if (Fault fault = none(&Action::gives, "gives a value")) return fault;
    return none(&Action::takes, "takes the sum");
  }

  void match(Rank a, int position_a, Rank b, int position_b) {
    End send = end_of(a, position_a), receive = end_of(b, position_b);
    if (!send.action->sends()) std::swap(send, receive);
    if (send.action->chunks != receive.action->chunks) {
      result_.fault = {Fault::Kind::mismatched, receive.rank, receive.round,
                       receive.action->chunks.first,
                       concat(place_text(receive.rank, receive.round), described(*receive.action),
                              ", but that rank's message (its round ", send.round,
                              ") is: ", described(*send.action))};
      return;
    }
    Actor& receiver = at(receive.rank);
    receiver.next_depth = std::max(receiver.next_depth, at(send.rank).depth + 1);
    if (callbacks_.on_match) result_.fault = callbacks_.on_match(send, receive);
  }

  End end_of(Rank r, int position) {
    const Actor& a = at(r);
    return {r, a.round, position, &a.pending.round()[index(position)]};
  }

  void end_round(Rank r) {
    Actor& a = at(r);
    a.depth = a.next_depth;
    if (callbacks_.on_round_end)
      result_.fault = callbacks_.on_round_end(r, a.round, a.depth, a.pending.round());
    ready_.push_back(r);
  }

  // Follows the chain of waiting ranks from `start`, to a rank that has ended or around a cycle.
  Fault stuck_fault(Rank start) {
    std::vector<Rank> path;
    for (Rank r = start;;) {
      const auto [waiting, peer] = waiting_of(r);
      const Count round = at(r).round;
      if (at(peer).ended)
        return {Fault::Kind::unmatched, r, round, waiting->chunks.first,
                concat(place_text(r, round), described(*waiting), ", but rank ", peer,
                       " ends its program without it")};
      path.push_back(r);
      const auto seen = std::find(path.begin(), path.end(), peer);
      if (seen != path.end()) {
        path.erase(path.begin(), seen);
        return deadlock(path);
      }
      r = peer;
    }
  }

  // What the rank waits for, and the rank that has to act.
  std::pair<const Action*, Rank> waiting_of(Rank r) {
    const Actor& a = at(r);
    const Round round = a.pending.round();
    if (const int position = a.pending.first(); position != PendingActions::kNone)
      return {&round[index(position)], round[index(position)].peer};
    for (const Action& action : round) {
      const Rank missing = action.in_team() ? team_actions_.missing(action.peer) : -1;
      if (missing >= 0 && missing != r) return {&action, missing};
    }
    fail(Blame::check, "a rank that waits waits for another one");
  }

  Fault deadlock(const std::vector<Rank>& path) {
    std::string text = "deadlock with rendezvous sends: ";
    for (const Rank r : path) {
      const Actor& a = at(r);
      text += concat(place_text(r, a.round), "waits to ", described(*waiting_of(r).first), "; ");
    }
    text += "which closes the cycle";
    const Action& waiting = *waiting_of(path.front()).first;
    return {Fault::Kind::deadlock, path.front(), at(path.front()).round, waiting.chunks.first,
            text};
  }

  const Problem& problem_;
  RoundLimit limit_;
  const MatchCallbacks& callbacks_;
  std::vector<Actor> actors_;
  std::vector<Rank> ready_;
  TeamActions<int> team_actions_;  // by position in the round
  MatchResult result_;
};

}  // namespace

std::string_view name(Fault::Kind kind) {
  constexpr std::string_view kNames[] = {"none",      "bad peer",   "bad chunk", "hazard",
                                         "unmatched", "mismatched", "deadlock",  "undefined",
                                         "duplicate", "missing",    "endless"};
  return kNames[static_cast<std::size_t>(kind)];
}

Schedule schedule_of(const Algorithm& algorithm, const Problem& problem) {
  return [program = algorithm.program, problem](Rank me) { return program(problem, me); };
}

MatchResult match_schedule(const Problem& problem, const Schedule& schedule,
                           const MatchCallbacks& callbacks) {
  return ScheduleMatcher(problem, schedule, RoundLimit(problem.ranks), callbacks).run();
}

MatchResult match_schedule(const Algorithm& algorithm, const Problem& problem,
                           const MatchCallbacks& callbacks) {
  MatchResult result = ScheduleMatcher(problem, schedule_of(algorithm, problem),
                                       RoundLimit(algorithm, problem), callbacks)
                           .run();
  if (result.fault) add_place(algorithm, problem, result.fault);
  return result;
}

void add_place(const Algorithm& algorithm, const Problem& problem, Fault& fault) {
  if (!algorithm.place || !fault.place.empty()) return;
  fault.place = algorithm.place(problem, fault.rank, fault.round);
  if (!fault.place.empty()) fault.text += "\n  " + fault.place;
}

}  // namespace arlab
