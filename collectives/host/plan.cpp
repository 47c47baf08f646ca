#include "collectives/host/plan.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/patience.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/schedule/stalled_state.hpp"

namespace arlab::collectives {
namespace {

std::uint32_t size_in(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

}  // namespace

// Records one lane's rounds. Sends have the values at the round's start, so they come first.
class HostPlan::Recorder {
 public:
  Recorder(Lane& lane, std::size_t element) : lane_(lane), element_(element) {}

  Cost record(const Algorithm& algorithm, const arlab::Lane& part, Rank me) {
    for (const ElementRange& range : held_at_start(part.problem, me))
      untouched_.add({part.offset + range.first, range.elements});
    LaneRounds rounds(algorithm, part, me);
    while (rounds.next()) add(rounds.round(), static_cast<std::uint32_t>(rounds.cost().rounds));
    lane_.divided = needed_at_end(part, me);
    for (const ElementRange& range : lane_.divided)
      untouched_.remove(range, [&](const ElementRange& r) { lane_.last_copies.push_back(r); });
    lane_.scratch.resize(scratch_);
    lane_.transfers.reserve(most_actions_);
    return rounds.cost();
  }

 private:
  void add(std::span<const ElementAction> round, std::uint32_t number) {
    const auto scattered = [](const ElementAction& a) { return a.ranges.size() > 1; };
    const auto scattered_reduce = [&](const ElementAction& a) {
      return a.kind == ActionKind::reduce && scattered(a);
    };
    // If one reduction goes through scratch, all of the round do, to be applied in listed order.
    const bool staged = std::any_of(round.begin(), round.end(), scattered_reduce);
    const std::size_t begin = lane_.actions.size();
    std::size_t needed = 0;
    for (const ElementAction& a : round) {
      const bool through = scattered(a) || (staged && a.kind == ActionKind::reduce);
      if (through) needed += static_cast<std::size_t>(a.elements) * element_;
      lane_.actions.push_back({a.kind, a.peer, a.elements, size_in(lane_.pieces),
                               static_cast<std::uint32_t>(a.ranges.size()), through});
      for (const ElementRange& range : a.ranges) lane_.pieces.push_back({range, false});
    }
    for (std::size_t i = begin; i < lane_.actions.size(); ++i)
      if (lane_.actions[i].kind == ActionKind::send) locate(lane_.actions[i]);
    for (std::size_t i = begin; i < lane_.actions.size(); ++i)
      if (lane_.actions[i].kind != ActionKind::send) receive(lane_.actions[i]);
    lane_.rounds.push_back({size_in(lane_.actions), size_in(lane_.copies_before),
                            size_in(lane_.copies_after), number});
    scratch_ = std::max(scratch_, needed);
    most_actions_ = std::max(most_actions_, round.size());
  }

  std::span<Piece> pieces_of(const Action& a) {
    return std::span(lane_.pieces).subspan(a.first_piece, a.pieces);
  }

  void locate(const Action& send) {
    for (Piece& piece : pieces_of(send)) {
      piece.in_source = untouched_.covers(piece.range);
      if (!piece.in_source)
        untouched_.remove(piece.range,
                          [&](const ElementRange& r) { lane_.copies_before.push_back(r); });
    }
  }

  void receive(const Action& action) {
    for (const Piece& piece : pieces_of(action))
      untouched_.remove(piece.range, [&](const ElementRange& r) {
        if (action.kind == ActionKind::reduce) lane_.copies_after.push_back(r);
      });
  }

  // The elements of a lane that still lie in the source only.
  class Untouched {
   public:
    void add(const ElementRange& range) { ranges_[range.first] = range.first + range.elements; }

    bool covers(const ElementRange& range) const {
      auto at = ranges_.upper_bound(range.first);
      return at != ranges_.begin() && (--at)->second >= range.first + range.elements;
    }

    /// Removes a range. Calls removed(part) for each part of it that was untouched.
    template <class Removed>
    void remove(const ElementRange& range, Removed removed) {
      const Count begin = range.first, end = range.first + range.elements;
      auto at = ranges_.upper_bound(begin);
      if (at != ranges_.begin()) --at;
      while (at != ranges_.end() && at->first < end) {
        const auto [first, last] = *at;
        if (last <= begin) {
          ++at;
          continue;
        }
        at = ranges_.erase(at);
        if (first < begin) ranges_[first] = begin;
        if (last > end) ranges_[end] = last;
        const Count from = std::max(first, begin);
        removed(ElementRange{from, std::min(last, end) - from});
      }
    }

   private:
    std::map<Count, Count> ranges_;  // end by begin
  };

  Lane& lane_;
  std::size_t element_, scratch_ = 0, most_actions_ = 0;
  Untouched untouched_;
};

HostPlan::HostPlan(const Algorithm& algorithm, const Problem& problem, Rank me, Operand operand,
                   int segments)
    : description_(description(algorithm, problem, operand)),
      algorithm_(algorithm),
      segments_(segments),
      problem_(problem),
      operand_(operand) {
  check(algorithm, problem, problem.ranks);
  expects(me >= 0 && me < problem.ranks, "a plan is for a rank of the problem");
  const std::vector<arlab::Lane> parts = lanes_of(algorithm, problem, segments);
  lanes_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    lanes_[i].turn = parts[i].turn;
    add_lane(Recorder(lanes_[i], size_of(operand.dtype)).record(algorithm, parts[i], me), sent_);
  }
  for (const Lane& lane : lanes_)
    for (const Action& a : lane.actions)
      if (a.kind != ActionKind::send)
        memory_traffic_ += (a.kind == ActionKind::reduce ? 3 : 2) * a.elements *
                           static_cast<Bytes>(size_of(operand.dtype));
}

Cost HostPlan::run(Communicator& communicator, std::span<std::byte> data, int first_lane) {
  check_run(communicator, data.size());
  if (problem_.reduces()) divide_before(data.data(), problem_.elements, operand_, problem_.ranks);
  return run(communicator, {nullptr, data.data()}, first_lane);
}

Cost HostPlan::run(Communicator& communicator, std::span<const std::byte> from,
                   std::span<std::byte> into, int first_lane) {
  check_run(communicator, from.size());
  check_run(communicator, into.size());
  if (problem_.reduces() && divisors_of(operand_, problem_.ranks).before != 1) {
    if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
    return run(communicator, into, first_lane);
  }
  return run(communicator, {from.data(), into.data()}, first_lane);
}

void HostPlan::check_run(const Communicator& communicator, std::size_t bytes) const {
  const std::size_t needed = static_cast<std::size_t>(problem_.elements) * size_of(operand_.dtype);
  if (communicator.ranks() != problem_.ranks || bytes != needed)
    fail(Blame::usage, "a plan for " + std::to_string(problem_.ranks) + " ranks and " +
                           std::to_string(needed) + " bytes is run on " +
                           std::to_string(communicator.ranks()) + " ranks and " +
                           std::to_string(bytes) + " bytes: make a plan for these");
}

namespace {

std::size_t bytes_of(Count elements, DType dtype) {
  return static_cast<std::size_t>(elements) * size_of(dtype);
}

void copy(const ElementRange& range, const std::byte* from, std::byte* into, DType dtype) {
  const std::size_t first = bytes_of(range.first, dtype);
  std::memcpy(into + first, from + first, bytes_of(range.elements, dtype));
}

}  // namespace

Cost HostPlan::run(Communicator& communicator, const Memory& memory, int first_lane) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].round = 0;
    communicator.set_turn(first_lane + static_cast<int>(i), lanes_[i].turn.in_call(first_lane));
  }
  // The copies that a large vector makes while messages are in flight are worth a start and a wait.
  constexpr std::size_t kShortBytes = 64 << 10;
  const bool one_by_one =
      lanes_.size() == 1 &&
      (!memory.source || bytes_of(problem_.elements, operand_.dtype) <= kShortBytes);
  const Inside inside(communicator.place(), lanes_.size());
  const auto run_rounds = [&] {
    if (one_by_one)
      run_lane(communicator, memory, first_lane, inside);
    else
      run_lanes(communicator, memory, first_lane, inside);
  };
  const auto state = [&] {
    return stalled_state(algorithm_, problem_, segments_, operand_.dtype, communicator.places(),
                         communicator.rank());
  };
  naming([&] { explaining(run_rounds, state); },
         [&] { return description_ + ", round " + round_text(); });
  for (const Lane& lane : lanes_) {
    if (memory.source)
      for (const ElementRange& range : lane.last_copies)
        copy(range, memory.source, memory.data, operand_.dtype);
    if (operand_.op != Op::avg || !problem_.reduces()) continue;
    for (const ElementRange& range : lane.divided)
      divide_after(memory.data + bytes_of(range.first, operand_.dtype), range.elements, operand_,
                   problem_.ranks);
  }
  return sent_;
}

std::string HostPlan::round_text() const {
  std::uint32_t furthest = 0;
  for (const Lane& lane : lanes_)
    if (lane.round > 0) furthest = std::max(furthest, lane.rounds[lane.round - 1].number);
  return std::to_string(furthest);
}

void HostPlan::run_lane(Communicator& communicator, const Memory& memory, int number,
                        const Inside& inside) {
  Lane& lane = lanes_.front();
  while (prepare_next(lane, memory)) {
    inside.begin_round(0, lane.rounds[lane.round - 1].number);
    copy_received(lane, memory);
    communicator.exchange(number, lane.transfers, operand_);
    finish_round(lane, memory);
  }
}

void HostPlan::run_lanes(Communicator& communicator, const Memory& memory, int first_lane,
                         const Inside& inside) {
  const auto start_next = [&](std::size_t i) {
    if (!prepare_next(lanes_[i], memory)) {
      inside.begin_round(i, Place::kEnded);
      return false;
    }
    inside.begin_round(i, lanes_[i].rounds[lanes_[i].round - 1].number);
    communicator.start(first_lane + static_cast<int>(i), lanes_[i].transfers, operand_);
    copy_received(lanes_[i], memory);  // nothing is added before wait()
    return true;
  };
  int started = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) started += start_next(i) ? 1 : 0;
  while (started > 0) {
    const auto i = static_cast<std::size_t>(communicator.wait() - first_lane);
    finish_round(lanes_[i], memory);
    if (!start_next(i)) --started;
  }
}

// The end of the round before the one that was prepared last.
HostPlan::Ends HostPlan::begin_of_round(const Lane& lane) {
  return lane.round == 1 ? Ends{} : lane.rounds[lane.round - 2];
}

// Out of place: copies what the round is about to add to.
void HostPlan::copy_received(const Lane& lane, const Memory& memory) const {
  if (!memory.source) return;
  const std::uint32_t end = lane.rounds[lane.round - 1].copies_after;
  for (std::uint32_t i = begin_of_round(lane).copies_after; i < end; ++i)
    copy(lane.copies_after[i], memory.source, memory.data, operand_.dtype);
}

// Makes the transfers of a lane's next round. Returns false if there is none.
bool HostPlan::prepare_next(Lane& its, const Memory& memory) {
  if (its.round == its.rounds.size()) return false;
  ++its.round;
  const Ends begin = begin_of_round(its), end = its.rounds[its.round - 1];
  if (memory.source)
    for (std::uint32_t i = begin.copies_before; i < end.copies_before; ++i)
      copy(its.copies_before[i], memory.source, memory.data, operand_.dtype);
  // A send only reads.
  const auto place = [&](const Piece& piece) {
    std::byte* const base =
        memory.source && piece.in_source ? const_cast<std::byte*>(memory.source) : memory.data;
    return base + bytes_of(piece.range.first, operand_.dtype);
  };
  its.transfers.clear();
  std::byte* scratch = its.scratch.data();
  for (std::uint32_t i = begin.actions; i < end.actions; ++i) {
    const Action& a = its.actions[i];
    if (!a.through_scratch) {
      its.transfers.push_back(
          {a.kind, a.peer, place(its.pieces[a.first_piece]), a.elements, false});
      continue;
    }
    const ActionKind kind = a.kind == ActionKind::send ? a.kind : ActionKind::replace;
    its.transfers.push_back({kind, a.peer, scratch, a.elements, a.kind == ActionKind::reduce});
    if (a.kind == ActionKind::send) {
      std::byte* into = scratch;
      for (std::uint32_t k = 0; k < a.pieces; ++k) {
        const Piece& piece = its.pieces[a.first_piece + k];
        std::memcpy(into, place(piece), bytes_of(piece.range.elements, operand_.dtype));
        into += bytes_of(piece.range.elements, operand_.dtype);
      }
    }
    scratch += bytes_of(a.elements, operand_.dtype);
  }
  return true;
}

// Applies what the round has received in scratch.
void HostPlan::finish_round(Lane& lane, const Memory& memory) const {
  const std::uint32_t begin = begin_of_round(lane).actions;
  const std::byte* scratch = lane.scratch.data();
  for (std::uint32_t i = begin; i < lane.rounds[lane.round - 1].actions; ++i) {
    const Action& a = lane.actions[i];
    if (!a.through_scratch) continue;
    const std::byte* from = scratch;
    scratch += bytes_of(a.elements, operand_.dtype);
    if (a.kind == ActionKind::send) continue;
    for (std::uint32_t k = 0; k < a.pieces; ++k) {
      const ElementRange& range = lane.pieces[a.first_piece + k].range;
      std::byte* const into = memory.data + bytes_of(range.first, operand_.dtype);
      if (a.kind == ActionKind::reduce)
        reduce_into(into, from, range.elements, operand_);
      else
        std::memcpy(into, from, bytes_of(range.elements, operand_.dtype));
      from += bytes_of(range.elements, operand_.dtype);
    }
  }
}

}  // namespace arlab::collectives
