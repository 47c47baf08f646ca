#include "simulator/replay/replay.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "algorithms/base/text.hpp"
#include "simulator/engine/interactive_simulation.hpp"
#include "simulator/replay/match_messages.hpp"

namespace arlab::simulator {
namespace {

constexpr std::uint32_t kTaken = kNoOperation - 1;  // a lane of a receive that is not known yet

// Every message in progress has its own lane, so that it matches no other.
class Replay {
 public:
  Replay(const TraceGraph& trace, Network& network)
      : trace_(trace),
        network_(network),
        simulation_(network, static_cast<Rank>(trace.ranks.size())),
        first_(first_operations(trace)),
        partner_(match_messages(trace, first_)),
        operations_(first_.back()),
        ranks_(trace.ranks.size()),
        exclusive_(network.uniform() && network.uniform()->exclusive_ports) {
    for (Rank r = 0; r < static_cast<Rank>(ranks_.size()); ++r) connect(r);
    result_.finish_of.resize(ranks_.size());
  }

  ReplayResult run() {
    for (std::uint32_t o = 0; o < operations_.size(); ++o)
      if (operations_[o].missing == 0) ready_.push_back(o);
    for (;;) {
      start_ready();
      if (!step()) break;
    }
    check_all_ended();
    return std::move(result_);
  }

 private:
  // Handles the next event or end of a computation. Returns whether there was one. Where a message
  // holds its ports, computations of a time end before a rank chooses what it sends.
  bool step() {
    const Time own = computations_.empty() ? kNever : computations_.top().end;
    if (const auto step = simulation_.step(exclusive_ && own != kNever ? own - Time{1} : own)) {
      now_ = step->now;
      if (step->ended) end_message(*step->ended);
      return true;
    }
    if (own == kNever) return false;
    now_ = own;
    const Computation ended = computations_.top();
    computations_.pop();
    end(ended.operation, ended.begin);
    return true;
  }

  struct State {
    Rank rank = 0;
    std::uint32_t missing = 0;  // dependencies that do not hold yet
    std::int32_t lane = -1;     // of the message, from the start of its first end on
    Time since{};               // when it was known that it starts when it does
    bool started = false, ended = false;
    std::vector<std::uint32_t> after_end, after_start;  // operations
  };
  struct RankState {
    std::vector<std::uint32_t> by_lane;  // the operation; kNoOperation: the lane is free
    std::int32_t taken = 0;              // all lanes below this one are
  };
  struct Computation {
    Time begin, end;
    std::uint32_t operation;
    bool operator<(const Computation& other) const {  // the first is the greatest
      return end != other.end ? end > other.end : operation > other.operation;
    }
  };

  void connect(Rank rank) {
    const RankGraph& graph = trace_.ranks[index(rank)];
    const std::uint32_t first = first_[index(rank)];
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) operations_[first + i].rank = rank;
    for (const Dependency& d : graph.dependencies) {
      if (d.earlier >= graph.operations.size() || d.later >= graph.operations.size())
        fail(Blame::usage,
             concat("rank ", rank, " has a dependency of an operation that is not there"));
      State& earlier = operations_[first + d.earlier];
      (d.with_start ? earlier.after_start : earlier.after_end).push_back(first + d.later);
      ++operations_[first + d.later].missing;
    }
  }

  const Operation& traced(std::uint32_t operation) const {
    const Rank rank = operations_[operation].rank;
    return trace_.ranks[index(rank)].operations[operation - first_[index(rank)]];
  }

  // What it was known of since then is over, or has started.
  void release(const std::vector<std::uint32_t>& later, Time since) {
    for (const std::uint32_t o : later) {
      State& state = operations_[o];
      state.since = std::max(state.since, since);
      if (--state.missing == 0) ready_.push_back(o);
    }
  }

  void start_ready() {
    while (!ready_.empty()) {
      const std::uint32_t operation = ready_.front();
      ready_.pop_front();
      start(operation);
    }
  }

  void start(std::uint32_t operation) {
    State& state = operations_[operation];
    state.started = true;
    release(state.after_start, now_);
    const Operation& o = traced(operation);
    if (o.kind != Operation::Kind::compute) return start_message(operation, o);
    if (o.duration == Time{}) return end(operation, now_);
    const Network::Work work = work_of(state.rank, o);
    computations_.push({work.begin, in_calendar(work.end), operation});
  }

  // The network knows the first processor of a rank, which messages use, too.
  Network::Work work_of(Rank rank, const Operation& o) {
    if (o.processor == 0) return network_.compute(rank, o.duration, now_);
    Time& free = other_processors_[{rank, o.processor}];
    const Time begin = std::max(now_, free);
    free = begin + o.duration;
    return {begin, free};
  }

  // A receive from any source takes, of the messages to its rank with its tag that no other receive
  // is for, the one that was sent first.
  bool find_partner(std::uint32_t operation, const Operation& o, bool sends) {
    const Rank target = sends ? o.peer : operations_[operation].rank;
    FromAny& any = from_any_[{target, o.tag}];
    std::deque<std::uint32_t>& others = sends ? any.receives : any.sends;
    if (others.empty()) {
      (sends ? any.sends : any.receives).push_back(operation);
      return false;
    }
    const std::uint32_t other = others.front();
    others.pop_front();
    partner_[operation] = other;
    partner_[other] = operation;
    return true;
  }

  void start_message(std::uint32_t operation, const Operation& o) {
    const bool sends = o.kind == Operation::Kind::send;
    if (partner_[operation] == kNoOperation) {
      const bool found = find_partner(operation, o, sends);
      if (!found && !sends) return;  // until the message is sent
      if (found && sends) {
        start_matched(operation, o, sends);
        const std::uint32_t receive = partner_[operation];
        return start_matched(receive, traced(receive), false);
      }
    }
    start_matched(operation, o, sends);
  }

  void start_matched(std::uint32_t operation, const Operation& o, bool sends) {
    State& state = operations_[operation];
    const std::uint32_t partner = partner_[operation];
    const bool has_partner = partner != kNoOperation;
    const Rank peer = sends ? o.peer : operations_[partner].rank;
    if (has_partner && state.lane < 0) state.lane = operations_[partner].lane;
    if (state.lane < 0) state.lane = free_lane(state.rank, peer);
    if (has_partner) operations_[partner].lane = state.lane;
    lane(state.rank, state.lane) = operation;
    lane(peer, state.lane) = has_partner ? partner : kTaken;
    if (sends) {
      ++result_.messages;
      result_.bytes += o.bytes;
    }
    post(operation);
  }

  void post(std::uint32_t operation) {
    const Operation& o = traced(operation);
    const bool sends = o.kind == Operation::Kind::send;
    const Bytes bytes = traced(sends ? operation : partner_[operation]).bytes;
    const Rank peer = sends ? o.peer : operations_[partner_[operation]].rank;
    const PostedAction action{sends ? ActionKind::send : ActionKind::replace, peer,
                              std::max<Bytes>(1, bytes)};
    const State& state = operations_[operation];
    simulation_.start(state.rank, state.lane, {&action, 1}, now_,
                      {.turn = turn_of(o), .since = state.since, .listed = operation});
  }

  Turn turn_of(const Operation& o) const {
    if (trace_.channels == 0) return {};
    constexpr Count kMost = std::numeric_limits<std::int32_t>::max();
    return {static_cast<std::int32_t>(o.tag % trace_.channels),
            static_cast<std::int32_t>(std::min(o.tag / trace_.channels, kMost))};
  }

  std::uint32_t& lane(Rank rank, std::int32_t number) {
    auto& all = ranks_[index(rank)].by_lane;
    if (index(number) >= all.size()) all.resize(index(number) + 1, kNoOperation);
    return all[index(number)];
  }

  std::int32_t free_lane(Rank a, Rank b) {
    constexpr Count kMost = 1 << 24;  // lanes of all ranks; each takes about 120 bytes
    for (const Rank rank : {a, b})
      while (lane(rank, ranks_[index(rank)].taken) != kNoOperation) ++ranks_[index(rank)].taken;
    std::int32_t number = std::max(ranks_[index(a)].taken, ranks_[index(b)].taken);
    while (lane(a, number) != kNoOperation || lane(b, number) != kNoOperation) ++number;
    if ((Count{number} + 1) * static_cast<Count>(ranks_.size()) > kMost)
      fail(Blame::usage, concat("rank ", a, " has ", number,
                                " messages under way, too many on so many ranks: use fewer ranks"));
    return number;
  }

  void end_message(const InteractiveSimulation::Ended& ended) {
    const auto [rank, number, since] = ended;
    const std::uint32_t operation = lane(rank, number);
    end(operation, since);
    const std::uint32_t other = partner_[operation];
    if (other == kNoOperation || !operations_[other].ended) return;
    for (const Rank end : {rank, operations_[other].rank}) {
      lane(end, number) = kNoOperation;
      ranks_[index(end)].taken = std::min(ranks_[index(end)].taken, number);
    }
  }

  void end(std::uint32_t operation, Time since) {
    State& state = operations_[operation];
    state.ended = true;
    ++ended_;
    Time& finish = result_.finish_of[index(state.rank)];
    finish = std::max(finish, now_);
    result_.finish = std::max(result_.finish, now_);
    release(state.after_end, since);
  }

  void check_all_ended() const {
    if (ended_ == operations_.size()) return;
    std::uint32_t stuck = 0;
    while (operations_[stuck].ended) ++stuck;
    for (std::uint32_t o = stuck; o < operations_.size(); ++o)
      if (operations_[o].started && !operations_[o].ended) {
        stuck = o;
        break;
      }
    fail(Blame::check,
         concat("line ", traced(stuck).line, ": rank ", operations_[stuck].rank, " waits forever ",
                operations_[stuck].started ? "in" : "for", " this operation: the trace deadlocks"));
  }

  const TraceGraph& trace_;
  Network& network_;
  InteractiveSimulation simulation_;
  std::vector<std::uint32_t> first_, partner_;
  std::vector<State> operations_;
  std::vector<RankState> ranks_;
  std::deque<std::uint32_t> ready_;
  struct FromAny {
    std::deque<std::uint32_t> sends, receives;  // started, without a partner
  };
  std::map<std::pair<Rank, Count>, FromAny> from_any_;              // by rank and tag
  std::map<std::pair<Rank, std::int32_t>, Time> other_processors_;  // when each is free
  bool exclusive_;
  std::priority_queue<Computation> computations_;
  Time now_{};
  std::size_t ended_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay(const TraceGraph& trace, Network& network) {
  return Replay(trace, network).run();
}

}  // namespace arlab::simulator
