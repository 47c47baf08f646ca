#include "algorithms/verify/round_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/base/text.hpp"
#include "algorithms/teams.hpp"
#include "algorithms/verify/action_text.hpp"

namespace arlab {
namespace {

class RoundCheck {
 public:
  RoundCheck(const Problem& problem, Rank rank, Count number)
      : problem_(problem), rank_(rank), number_(number) {}

  Fault peers_and_chunks(Round round) const {
    for (const Action& a : round) {
      if (a.in_team() && !is_member(problem_, a.peer, rank_))
        return fault(Fault::Kind::bad_peer, a, ", of which it is not a member");
      if (!a.in_team() && (a.peer < 0 || a.peer >= problem_.ranks || a.peer == rank_))
        return fault(Fault::Kind::bad_peer, a,
                     concat(", but the peer must be another of the ", problem_.ranks, " ranks"));
      const Chunks& c = a.chunks;
      if (c.count < 1)
        return fault(Fault::Kind::bad_chunk, a, ", but a message has at least one chunk");
      if (c.first < 0 || c.first >= problem_.parts())
        return fault(Fault::Kind::bad_chunk, a,
                     concat(", but the chunks are 0 to ", problem_.parts() - 1));
      if (c.stride < 1) return fault(Fault::Kind::bad_chunk, a, ", but a stride is at least 1");
      if ((Count{c.count} - 1) * c.stride >= problem_.parts())
        return fault(Fault::Kind::bad_chunk, a,
                     concat(", which is more than once around the ", problem_.parts(), " chunks"));
    }
    return {};
  }

  // What overwrites must not overlap anything else in its round: the actions may finish in any
  // order.
  Fault hazards(Round round) const {
    if (std::none_of(round.begin(), round.end(), overwrites)) return {};
    if (round.size() <= 2)  // common, and exact without listing chunks
      return round.size() == 2 && overlap(round[0].chunks, round[1].chunks, problem_.parts())
                 ? hazard(round[0], round[1])
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
      const bool replaces = overwrites(*t.action);
      const Touch* other = replaces ? furthest : furthest_replace;
      if (other && end_of(*other) > t.run.first) return hazard(*other->action, *t.action);
      const auto extend = [&](const Touch*& furthest_so_far) {
        if (!furthest_so_far || end_of(t) > end_of(*furthest_so_far)) furthest_so_far = &t;
      };
      extend(furthest);
      if (replaces) extend(furthest_replace);
    }
    return {};
  }

 private:
  static bool overwrites(const Action& a) { return a.kind == ActionKind::replace || a.takes(); }

  std::string described(const Action& a) const { return action_text(a, problem_.ranks); }
  Fault fault(Fault::Kind kind, const Action& a, const std::string& what) const {
    return {kind, rank_, number_, a.chunks.first,
            concat(place_text(rank_, number_), described(a), what)};
  }
  Fault hazard(const Action& a, const Action& b) const {
    return {Fault::Kind::hazard, rank_, number_, b.chunks.first,
            concat(place_text(rank_, number_), described(a), " and ", described(b),
                   " touch the same chunk in one round, and may finish in either order")};
  }

  const Problem& problem_;
  Rank rank_;
  Count number_;
};

}  // namespace

Fault check_round(const Problem& problem, Rank rank, Count number, Round round) {
  const RoundCheck check(problem, rank, number);
  if (Fault fault = check.peers_and_chunks(round)) return fault;
  return check.hazards(round);
}

}  // namespace arlab
