// Port sweep: exclusive ports, at most one message each way per round.
//
// All ports of a rank are free when it starts a round, since the round before has ended. So a
// message begins at the later start of its two rounds, whatever happens elsewhere.
#include <algorithm>

#include "simulator/sweep/message_costs.hpp"
#include "simulator/sweep/rank_set.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

class PortSweep {
 public:
  PortSweep(CompactRounds& rounds, Bytes element_size, const UniformCosts& costs, Time latest)
      : rounds_(rounds),
        element_size_(element_size),
        costs_(costs),
        latest_(latest),
        by_size_(costs, rounds.sizes()),
        ranks_(index(rounds.ranks())),
        ready_(rounds.ranks()) {
    for (Rank r = 0; r < rounds.ranks(); ++r) ready_.insert(r);
    result_.finish_of.resize(index(rounds.ranks()));
    result_.engine = EngineKind::sweep;
  }

  std::optional<SimulationResult> run() {
    while (ready_.next(0) != RankSet::kNone)
      for (Rank r = ready_.next(0); r != RankSet::kNone; r = ready_.next(r + 1)) {
        ready_.erase(r);
        if (!start_round(r)) return {};
        if (ranks_[index(r)].begin > latest_) {
          result_.stopped = true;
          return std::move(result_);
        }
      }
    if (ended_ < ranks_.size() || rounds_.refused()) return {};
    result_.sent.messages *= rounds_.weight();
    result_.sent.elements = sent_bytes_ / element_size_ * rounds_.weight();
    return std::move(result_);
  }

 private:
  static constexpr Rank kNobody = -1;

  struct alignas(64) State {
    Time begin{}, done{};                     // of the round
    Rank target = kNobody, source = kNobody;  // of its messages that are not matched yet
    std::uint32_t sent = 0, received = 0;     // sizes
    std::uint32_t depth = 0, next_depth = 0;
    bool reduces = false;
  };

  // Returns false if the round has two messages in one direction.
  bool start_round(Rank rank) {
    State& s = ranks_[index(rank)];
    std::span<const Step> round = rounds_.next(rank);
    for (; !round.empty() && round[0].kind == Step::idle; round = rounds_.next(rank)) {
      s.depth += static_cast<std::uint32_t>(round[0].peer);
      rounds_.check(rank, s.depth);
    }
    if (round.empty()) {
      result_.finish_of[index(rank)] = s.begin;
      result_.finish = std::max(result_.finish, s.begin);
      result_.sent.rounds = std::max<Count>(result_.sent.rounds, s.depth);
      ++ended_;
      return !rounds_.refused();
    }
    s.done = s.begin;
    s.next_depth = s.depth + 1;
    rounds_.check(rank, s.next_depth);
    s.reduces = false;
    for (const Step& step : round) {
      if ((step.sends() && s.target != kNobody) || (step.receives() && s.source != kNobody))
        return false;
      if (step.sends()) {
        s.target = step.peer;
        s.sent = step.size;
      }
      if (step.receives()) {
        s.source = step.peer;
        s.received = step.size;
        s.reduces = step.reduces();
      }
    }
    const Rank target = s.target, source = s.source;
    if (target != kNobody) {
      const Rank stand_in = rounds_.stand_in(target);
      if (ranks_[index(stand_in)].source == rounds_.name_for(target, rank) &&
          !match(rank, stand_in))
        return false;
    }
    if (s.source == kNobody) return true;  // also if the rank stands for its own source
    const Rank stand_in = rounds_.stand_in(source);
    return ranks_[index(stand_in)].target != rounds_.name_for(source, rank) ||
           match(stand_in, rank);
  }

  // Sends the message between two ranks that have both started its rounds.
  bool match(Rank source, Rank target) {
    State& from = ranks_[index(source)];
    State& to = ranks_[index(target)];
    if (from.sent != to.received) return false;
    const Time end =
        in_calendar(std::max(from.begin, to.begin)) + costs_.L + by_size_[from.sent].port;
    from.target = to.source = kNobody;
    from.done = std::max(from.done, end);
    to.done = std::max(to.done, end);
    to.next_depth = std::max(to.next_depth, from.depth + 1);
    ++result_.sent.messages;
    sent_bytes_ += rounds_.sizes()[from.sent];
    end_round(source);
    if (target != source) end_round(target);
    return true;
  }

  // Ends the rank's round unless a message is missing.
  void end_round(Rank rank) {
    State& s = ranks_[index(rank)];
    if (s.target != kNobody || s.source != kNobody) return;
    s.depth = s.next_depth;
    s.begin = in_calendar(s.reduces ? s.done + by_size_[s.received].reduction : s.done);
    ready_.insert(rank);
  }

  CompactRounds& rounds_;
  Bytes element_size_;
  const UniformCosts& costs_;
  Time latest_;
  MessageCosts by_size_;
  std::vector<State> ranks_;
  RankSet ready_;  // whose round has ended
  Bytes sent_bytes_ = 0;
  std::size_t ended_ = 0;
  SimulationResult result_;
};

}  // namespace

std::optional<SimulationResult> port_sweep(CompactRounds& rounds, Bytes element_size,
                                           const UniformCosts& costs, Time latest) {
  return PortSweep(rounds, element_size, costs, latest).run();
}

std::optional<SimulationResult> sweep(CompactRounds& rounds, Bytes element_size,
                                      const UniformCosts& costs, Time latest) {
  const bool is_random = costs.delay.mean > Time{};
  if (is_random && (costs.exclusive_ports || rounds.has_classes())) return {};
  return costs.exclusive_ports ? port_sweep(rounds, element_size, costs, latest)
                               : window_sweep(rounds, element_size, costs, latest);
}

}  // namespace arlab::simulator
