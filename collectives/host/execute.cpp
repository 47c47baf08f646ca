#include "collectives/host/execute.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/patience.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/schedule/lane_rounds.hpp"
#include "collectives/schedule/stalled_state.hpp"

namespace arlab::collectives {
namespace {

void check_size(const Problem& problem, std::size_t bytes, DType dtype) {
  const std::size_t needed = static_cast<std::size_t>(problem.elements) * size_of(dtype);
  if (bytes != needed)
    fail(Blame::usage, "the data has " + std::to_string(bytes) + " bytes, but " +
                           std::to_string(problem.elements) + " elements of " +
                           std::string(name(dtype)) + " are " + std::to_string(needed));
}

std::byte* memory_of(const ElementRange& range, std::span<std::byte> data, DType dtype) {
  return data.data() + static_cast<std::size_t>(range.first) * size_of(dtype);
}

// One lane of this rank: its rounds as transfers. A message of several ranges goes through scratch:
// packed before it is sent, applied after the round in which it is received.
class LaneExecution {
 public:
  LaneExecution(LaneRounds rounds, std::span<std::byte> data, Operand operand)
      : rounds_(std::move(rounds)), data_(data), operand_(operand) {}

  /// Prepares the next round. Returns false at the end.
  bool next() {
    if (!rounds_.next()) return false;
    transfers_.clear();
    scattered_.clear();
    make_scratch();
    for (const ElementAction& a : rounds_.round()) {
      if (in_place(a)) {
        transfers_.push_back(
            {a.kind, a.peer, memory_of(a.ranges[0], data_, dtype()), a.elements, false});
        continue;
      }
      std::byte* const scratch = take(a.elements);
      if (a.kind == ActionKind::send)
        pack(a, scratch);
      else
        scattered_.push_back({&a, scratch});
      const ActionKind kind = a.kind == ActionKind::send ? a.kind : ActionKind::replace;
      transfers_.push_back({kind, a.peer, scratch, a.elements, a.kind == ActionKind::reduce});
    }
    return true;
  }
  std::span<const Transfer> transfers() const { return transfers_; }

  /// Applies what the round has received in scratch.
  void finish_round() {
    for (const auto& [action, scratch] : scattered_) unpack(*action, scratch);
  }
  const LaneRounds& rounds() const { return rounds_; }
  std::uint32_t round_number() const { return static_cast<std::uint32_t>(rounds_.cost().rounds); }

 private:
  struct Scattered {
    const ElementAction* action;
    const std::byte* scratch;
  };

  DType dtype() const { return operand_.dtype; }
  std::size_t bytes(Count elements) const { return index(elements) * size_of(dtype()); }

  // Reductions apply in listed order: if one goes through scratch, all of the round do.
  bool in_place(const ElementAction& a) const {
    return a.ranges.size() == 1 && !(reduces_in_scratch_ && a.kind == ActionKind::reduce);
  }

  void make_scratch() {
    const auto round = rounds_.round();
    reduces_in_scratch_ = std::any_of(round.begin(), round.end(), [](const ElementAction& a) {
      return a.kind == ActionKind::reduce && a.ranges.size() > 1;
    });
    std::size_t needed = 0;
    for (const ElementAction& a : round)
      if (!in_place(a)) needed += bytes(a.elements);
    if (scratch_.size() < needed) scratch_.resize(needed);
    used_ = 0;
  }
  std::byte* take(Count elements) {
    std::byte* const begin = scratch_.data() + used_;
    used_ += bytes(elements);
    return begin;
  }

  void pack(const ElementAction& a, std::byte* into) const {
    for (const ElementRange& range : a.ranges) {
      std::memcpy(into, memory_of(range, data_, dtype()), bytes(range.elements));
      into += bytes(range.elements);
    }
  }
  void unpack(const ElementAction& a, const std::byte* from) const {
    for (const ElementRange& range : a.ranges) {
      if (a.kind == ActionKind::reduce)
        reduce_into(memory_of(range, data_, dtype()), from, range.elements, operand_);
      else
        std::memcpy(memory_of(range, data_, dtype()), from, bytes(range.elements));
      from += bytes(range.elements);
    }
  }

  LaneRounds rounds_;
  std::span<std::byte> data_;
  Operand operand_;
  std::vector<Transfer> transfers_;
  std::vector<Scattered> scattered_;
  std::vector<std::byte> scratch_;
  std::size_t used_ = 0;
  bool reduces_in_scratch_ = false;
};

// Runs the only lane: no other one is started meanwhile.
template <class Doing>
void run_alone(Communicator& communicator, LaneExecution& lane, Operand operand, int number,
               const Inside& inside, Doing doing) {
  while (lane.next()) {
    inside.begin_round(0, lane.round_number());
    naming([&] { communicator.exchange(number, lane.transfers(), operand); }, doing);
    lane.finish_round();
  }
}

}  // namespace

std::string description(const Algorithm& algorithm, const Problem& problem, Operand operand) {
  return std::string(algorithm.name) + " " + std::string(name(problem.collective)) + " of " +
         std::to_string(problem.elements) + " " + std::string(name(operand.dtype)) + " on " +
         std::to_string(problem.ranks) + " ranks";
}

Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments, int first_lane) {
  check(algorithm, problem, communicator.ranks());
  check_size(problem, data.size(), operand.dtype);
  const Rank me = communicator.rank();
  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  std::vector<LaneExecution> running;
  running.reserve(lanes.size());
  for (const Lane& lane : lanes) {
    communicator.set_turn(first_lane + static_cast<int>(running.size()),
                          lane.turn.in_call(first_lane));
    running.emplace_back(LaneRounds(algorithm, lane, me), data, operand);
  }

  if (problem.reduces()) divide_before(data.data(), problem.elements, operand, problem.ranks);
  const auto doing = [&] {
    Count furthest = 0;
    for (const LaneExecution& lane : running)
      furthest = std::max(furthest, lane.rounds().cost().rounds);
    return description(algorithm, problem, operand) + ", round " + std::to_string(furthest);
  };
  const Inside inside(communicator.place(), lanes.size());
  const auto state = [&] {
    return stalled_state(algorithm, problem, segments, operand.dtype, communicator.places(), me);
  };
  if (lanes.size() == 1)
    explaining(
        [&] { run_alone(communicator, running.front(), operand, first_lane, inside, doing); },
        state);
  int started = 0;
  const auto start_next_round = [&](int lane) {
    LaneExecution& its = running[index(lane)];
    if (!its.next()) return inside.begin_round(index(lane), Place::kEnded);
    inside.begin_round(index(lane), its.round_number());
    communicator.start(first_lane + lane, its.transfers(), operand);
    ++started;
  };
  if (lanes.size() > 1)
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      start_next_round(static_cast<int>(lane));
  while (started > 0) {
    const auto wait = [&] { return communicator.wait(); };
    const int lane = naming([&] { return explaining(wait, state); }, doing) - first_lane;
    --started;
    running[index(lane)].finish_round();
    start_next_round(lane);
  }

  if (operand.op == Op::avg && problem.reduces())
    for (const Lane& lane : lanes)
      for (const ElementRange& range : needed_at_end(lane, me))
        divide_after(memory_of(range, data, operand.dtype), range.elements, operand, problem.ranks);
  Cost sum;
  for (const LaneExecution& lane : running) add_lane(lane.rounds().cost(), sum);
  return sum;
}

Cost execute_uneven(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                    std::span<const Count> begins, std::span<std::byte> data, Operand operand) {
  check(algorithm, problem, communicator.ranks());
  if (algorithm.lanes != 1 || algorithm.lane_weights)
    fail(Blame::usage, std::string(algorithm.name) +
                           " runs in several lanes: chunks of uneven sizes need an algorithm of "
                           "one, such as ring");
  expects(operand.op != Op::avg, "an average over uneven chunks");
  if (begins.size() != static_cast<std::size_t>(problem.ranks) + 1 || begins.front() != 0 ||
      !std::is_sorted(begins.begin(), begins.end()) ||
      static_cast<std::size_t>(begins.back()) * size_of(operand.dtype) != data.size())
    fail(Blame::usage, "uneven chunks: give where each of the " + std::to_string(problem.ranks) +
                           " begins, and the end of the data of " + std::to_string(data.size()) +
                           " bytes");
  LaneExecution lane(LaneRounds(algorithm, problem, begins, communicator.rank()), data, operand);
  const Inside inside(communicator.place(), 1);
  run_alone(communicator, lane, operand, 0, inside, [&] {
    return description(algorithm, problem, operand) + ", round " +
           std::to_string(lane.rounds().cost().rounds);
  });
  return lane.rounds().cost();
}

}  // namespace arlab::collectives
