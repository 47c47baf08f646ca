#include "collectives/schedule/matched_schedule.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {
namespace {

constexpr std::size_t kMaxMessages = 50'000'000;

/// One end of a message that waits for the other.
struct End {
  std::uint32_t round;
  std::uint32_t position;  // of a receive, in listed order
  ActionKind kind;
  ElementRange range;
};

/// 1 where chunks must stay of equal size: a rank's own chunk is its result, or its input; or
/// chunks are so short that some would become empty.
Count granule_for(std::span<const Lane> lanes, const Problem& problem, Count wanted) {
  constexpr Count kLeast = 4;  // granules of a chunk
  const bool shows = problem.collective == Collective::reduce_scatter ||
                     problem.collective == Collective::all_gather;
  const bool fits = std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) {
    return lane.problem.elements / problem.ranks >= kLeast * wanted;
  });
  return shows || !fits ? 1 : wanted;
}

class Planner {
 public:
  Planner(const Algorithm& algorithm, const Problem& problem, int segments, Count granule)
      : lanes_(lanes_of(algorithm, problem, segments)), ranks_(problem.ranks) {
    if (problem.reduces()) plan_.contributed = problem.elements;
    rounds_of_.reserve(lanes_.size() * static_cast<std::size_t>(ranks_));
    granule = granule_for(lanes_, problem, granule);
    for (Rank rank = 0; rank < ranks_; ++rank)
      for (const Lane& lane : lanes_)
        rounds_of_.emplace_back(algorithm, lane, rank, granule, problem.elements);
    open_.resize(rounds_of_.size());
    current_.resize(rounds_of_.size());
  }

  MatchedSchedule plan() {
    for (std::size_t i = 0; i < rounds_of_.size(); ++i) start_next_round(i);
    while (running_ > 0) step();
    for (Rank rank = 0; rank < ranks_; ++rank) {
      Cost& sent = plan_.sent.emplace_back();
      for (const LaneRounds& lane : std::span(rounds_of_).subspan(index(rank, 0), lanes_.size()))
        add_lane(lane.cost(), sent);
      std::vector<ElementRange>& divided = plan_.divided.emplace_back();
      for (const Lane& lane : lanes_)
        if (lane.problem.reduces())
          for (const ElementRange& range : needed_at_end(lane, rank)) append(divided, range);
    }
    return std::move(plan_);
  }

 private:
  struct Queue {
    std::deque<End> sends, receives;
  };

  std::size_t index(Rank rank, std::int32_t lane) const {
    return static_cast<std::size_t>(rank) * lanes_.size() + static_cast<std::size_t>(lane);
  }

  static void append(std::vector<ElementRange>& ranges, const ElementRange& range) {
    if (!ranges.empty() && ranges.back().first + ranges.back().elements == range.first)
      ranges.back().elements += range.elements;
    else
      ranges.push_back(range);
  }

  void start_next_round(std::size_t i) {
    if (!rounds_of_[i].next()) return;
    ++running_;
    const auto rank = static_cast<Rank>(i / lanes_.size());
    const auto lane = static_cast<std::int32_t>(i % lanes_.size());
    const auto round = static_cast<std::uint32_t>(plan_.rounds.size());
    const auto number = static_cast<std::uint32_t>(rounds_of_[i].cost().rounds);
    plan_.rounds.push_back(
        {lane, rank, number, static_cast<std::uint32_t>(plan_.step_count()), 0, {}, {}});
    current_[i] = round;
    std::uint32_t position = 0;
    for (const ElementAction& a : rounds_of_[i].round()) {
      if (a.peer < 0 || a.peer >= ranks_ || a.peer == rank)
        fail(Blame::check, "rank " + std::to_string(rank) + " names peer " +
                               std::to_string(a.peer) + ", which is not another rank");
      const bool sends = a.kind == ActionKind::send;
      const std::uint64_t key = sends ? key_of(lane, rank, a.peer) : key_of(lane, a.peer, rank);
      Queue& queue = queues_[key];
      for (const ElementRange& range : a.ranges) {
        ++open_[i];
        (sends ? queue.sends : queue.receives)
            .push_back({round, sends ? 0 : position++, a.kind, range});
      }
      touched_.push_back(key);
    }
    plan_.rounds[round].receives.resize(position);
  }

  std::uint64_t key_of(std::int32_t lane, Rank source, Rank target) const {
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    return (static_cast<std::uint64_t>(lane) * ranks + static_cast<std::uint64_t>(source)) * ranks +
           static_cast<std::uint64_t>(target);
  }

  void step() {
    const std::vector<std::uint64_t> keys = std::exchange(touched_, {});
    const std::size_t begin = plan_.messages.size();
    for (const std::uint64_t key : keys) {
      Queue& queue = queues_[key];
      while (!queue.sends.empty() && !queue.receives.empty()) {
        meet(queue.sends.front(), queue.receives.front());
        queue.sends.pop_front();
        queue.receives.pop_front();
      }
    }
    if (plan_.messages.size() == begin)
      fail(Blame::check,
           "ranks would wait for one another forever: `arlab verify` says where the schedule is "
           "wrong");
    finish_step(begin);
  }

  void meet(const End& send, const End& receive) {
    const MatchedRound& source = plan_.rounds[send.round];
    const MatchedRound& target = plan_.rounds[receive.round];
    if (send.range.elements != receive.range.elements)
      fail(Blame::check, "rank " + std::to_string(source.rank) + " sends " +
                             std::to_string(send.range.elements) + " elements to rank " +
                             std::to_string(target.rank) + ", which expects " +
                             std::to_string(receive.range.elements) +
                             ": `arlab verify` says where the schedule is wrong");
    if (plan_.messages.size() == kMaxMessages)
      fail(Blame::usage, "more than " + std::to_string(kMaxMessages) +
                             " messages to plan ahead: use fewer ranks or segments");
    plan_.messages.push_back({source.lane, source.rank, target.rank, receive.kind, send.range.first,
                              receive.range.first, send.range.elements, send.round, receive.round,
                              receive.position});
  }

  // Enters the step's messages into their rounds, and continues where a round has none left.
  void finish_step(std::size_t begin) {
    const auto first = plan_.messages.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, plan_.messages.end(), [](const MatchedMessage& a, const MatchedMessage& b) {
      return std::pair(a.target_round, a.position) < std::pair(b.target_round, b.position);
    });
    std::vector<std::size_t> done;
    const auto close = [&](std::uint32_t round) {
      const MatchedRound& its = plan_.rounds[round];
      const std::size_t i = index(its.rank, its.lane);
      if (--open_[i] == 0) done.push_back(i);
    };
    for (std::size_t k = begin; k < plan_.messages.size(); ++k) {
      const MatchedMessage& m = plan_.messages[k];
      plan_.rounds[m.source_round].sends.push_back(static_cast<std::uint32_t>(k));
      plan_.rounds[m.target_round].receives[m.position] = static_cast<std::uint32_t>(k);
      close(m.source_round);
      close(m.target_round);
    }
    const auto now = static_cast<std::uint32_t>(plan_.step_count());
    plan_.steps.push_back(static_cast<std::uint32_t>(plan_.messages.size()));
    for (const std::size_t i : done) {
      plan_.rounds[current_[i]].ends = now;
      --running_;
      start_next_round(i);
    }
  }

  std::vector<Lane> lanes_;
  Rank ranks_;
  std::vector<LaneRounds> rounds_of_;   // by rank, then lane
  std::vector<std::size_t> open_;       // likewise: actions of the current round not met yet
  std::vector<std::uint32_t> current_;  // likewise: index of the current round
  std::unordered_map<std::uint64_t, Queue> queues_;
  std::vector<std::uint64_t> touched_;  // queues that grew since the last step
  std::size_t running_ = 0;
  MatchedSchedule plan_;
};

}  // namespace

MatchedSchedule match_schedule_of(const Algorithm& algorithm, const Problem& problem, int segments,
                                  Count granule) {
  check(algorithm, problem, problem.ranks);
  return Planner(algorithm, problem, segments, granule).plan();
}

}  // namespace arlab::collectives
