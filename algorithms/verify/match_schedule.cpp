#include "algorithms/verify/match_schedule.hpp"

#include <algorithm>

#include "algorithms/base/text.hpp"
#include "algorithms/pending_actions.hpp"
#include "algorithms/verify/action_text.hpp"

namespace arlab {
namespace {

class ScheduleMatcher {
 public:
  ScheduleMatcher(const Problem& problem, const Schedule& schedule, const RoundLimit& limit,
                  const MatchCallbacks& callbacks)
      : problem_(problem), limit_(limit), callbacks_(callbacks), actors_(index(problem.ranks)) {
    for (Rank r = 0; r < problem.ranks; ++r) at(r).program = schedule(r);
  }

  MatchResult run() {
    for (Rank r = problem_.ranks - 1; r >= 0; --r) ready_.push_back(r);
    while (!ready_.empty() && !result_.fault) {
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
    bool posted = false;
    bool ended = false;
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
    if ((result_.fault = check_round(r, round))) return;
    if (callbacks_.on_round_start &&
        (result_.fault = callbacks_.on_round_start(r, me.round, round)))
      return;
    me.pending.post(round);
    me.posted = true;
    for (const Action& a : round) {
      if (!at(a.peer).posted) continue;
      const int theirs = at(a.peer).pending.take(r, !a.sends());
      if (theirs == PendingActions::kNone) continue;
      const int mine = me.pending.take(a.peer, a.sends());
      match(r, mine, a.peer, theirs);
      if (result_.fault) return;
      if (at(a.peer).pending.left() == 0) end_round(a.peer);
      if (result_.fault) return;
    }
    if (me.pending.left() == 0) end_round(r);
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

  Fault check_round(Rank r, Round round) {
    const Count number = at(r).round;
    for (const Action& a : round) {
      if (a.peer < 0 || a.peer >= problem_.ranks || a.peer == r)
        return {Fault::Kind::bad_peer, r, number, a.chunks.first,
                concat(place_text(r, number), described(a),
                       ", but the peer must be another of the ", problem_.ranks, " ranks")};
      if (a.chunks.count < 1)
        return {
            Fault::Kind::bad_chunk, r, number, a.chunks.first,
            concat(place_text(r, number), described(a), ", but a message has at least one chunk")};
      if (a.chunks.first < 0 || a.chunks.first >= problem_.parts())
        return {Fault::Kind::bad_chunk, r, number, a.chunks.first,
                concat(place_text(r, number), described(a), ", but the chunks are 0 to ",
                       problem_.parts() - 1)};
      if (a.chunks.stride < 1)
        return {Fault::Kind::bad_chunk, r, number, a.chunks.first,
                concat(place_text(r, number), described(a), ", but a stride is at least 1")};
      if ((Count{a.chunks.count} - 1) * a.chunks.stride >= problem_.parts())
        return {Fault::Kind::bad_chunk, r, number, a.chunks.first,
                concat(place_text(r, number), described(a), ", which is more than once around the ",
                       problem_.parts(), " chunks")};
    }
    return check_hazards(r, round);
  }

  // A replace must not overlap anything else in its round: the actions may finish in any order.
  Fault check_hazards(Rank r, Round round) {
    if (std::none_of(round.begin(), round.end(),
                     [](const Action& a) { return a.kind == ActionKind::replace; }))
      return {};
    if (round.size() <= 2)  // common, and exact without listing chunks
      return round.size() == 2 && overlap(round[0].chunks, round[1].chunks, problem_.parts())
                 ? hazard(r, round[0], round[1])
                 : Fault{};
    struct Touch {
      ChunkRun run;
      const Action* action;
    };
    std::vector<Touch> by_chunk;
    for (const Action& a : round)
      for_each_run(a.chunks, problem_.parts(), [&](const ChunkRun& run) {
        by_chunk.push_back({run, &a});
      });
    std::stable_sort(by_chunk.begin(), by_chunk.end(),
                     [](const Touch& a, const Touch& b) { return a.run.first < b.run.first; });
    // Sweep by first chunk, keeping the furthest end of the replaces and of everything so far.
    const Touch *furthest = nullptr, *furthest_replace = nullptr;
    const auto end_of = [](const Touch& t) { return t.run.first + t.run.count; };
    for (const Touch& t : by_chunk) {
      const bool replaces = t.action->kind == ActionKind::replace;
      const Touch* other = replaces ? furthest : furthest_replace;
      if (other && end_of(*other) > t.run.first) return hazard(r, *other->action, *t.action);
      const auto extend = [&](const Touch*& furthest_so_far) {
        if (!furthest_so_far || end_of(t) > end_of(*furthest_so_far)) furthest_so_far = &t;
      };
      extend(furthest);
      if (replaces) extend(furthest_replace);
    }
    return {};
  }

  Fault hazard(Rank r, const Action& a, const Action& b) {
    return {Fault::Kind::hazard, r, at(r).round, b.chunks.first,
            concat(place_text(r, at(r).round), described(a), " and ", described(b),
                   " touch the same chunk in one round, and may finish in either order")};
  }

  // Follows the chain of waiting ranks from `start`, to a rank that has ended or around a cycle.
  Fault stuck_fault(Rank start) {
    std::vector<Rank> path;
    for (Rank r = start;;) {
      const Actor& a = at(r);
      const int position = a.pending.first();
      const Action& waiting = a.pending.round()[index(position)];
      if (at(waiting.peer).ended)
        return {Fault::Kind::unmatched, r, a.round, waiting.chunks.first,
                concat(place_text(r, a.round), described(waiting), ", but rank ", waiting.peer,
                       " ends its program without it")};
      path.push_back(r);
      const auto seen = std::find(path.begin(), path.end(), waiting.peer);
      if (seen != path.end()) {
        path.erase(path.begin(), seen);
        return deadlock(path);
      }
      r = waiting.peer;
    }
  }

  Fault deadlock(const std::vector<Rank>& path) {
    std::string text = "deadlock with rendezvous sends: ";
    for (const Rank r : path) {
      const Actor& a = at(r);
      text += concat(place_text(r, a.round), "waits to ",
                     described(a.pending.round()[index(a.pending.first())]), "; ");
    }
    text += "which closes the cycle";
    const Actor& first = at(path.front());
    const Action& waiting = first.pending.round()[index(first.pending.first())];
    return {Fault::Kind::deadlock, path.front(), first.round, waiting.chunks.first, text};
  }

  const Problem& problem_;
  RoundLimit limit_;
  const MatchCallbacks& callbacks_;
  std::vector<Actor> actors_;
  std::vector<Rank> ready_;
  MatchResult result_;
};

}  // namespace

std::string_view name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::none:
      return "none";
    case Fault::Kind::bad_peer:
      return "bad peer";
    case Fault::Kind::bad_chunk:
      return "bad chunk";
    case Fault::Kind::hazard:
      return "hazard";
    case Fault::Kind::unmatched:
      return "unmatched";
    case Fault::Kind::mismatched:
      return "mismatched";
    case Fault::Kind::deadlock:
      return "deadlock";
    case Fault::Kind::undefined:
      return "undefined";
    case Fault::Kind::duplicate:
      return "duplicate";
    case Fault::Kind::missing:
      return "missing";
    case Fault::Kind::endless:
      return "endless";
  }
  return "?";
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
  return ScheduleMatcher(problem, schedule_of(algorithm, problem), RoundLimit(algorithm, problem),
                         callbacks)
      .run();
}

}  // namespace arlab
