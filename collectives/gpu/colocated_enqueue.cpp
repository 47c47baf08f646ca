// ColocatedExecutor::enqueue: a schedule as work on the streams of all ranks.
#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {

/// Enqueues one schedule.
class ColocatedExecutor::Enqueuing {
 public:
  Enqueuing(ColocatedExecutor& on, const Prepared& prepared)
      : on_(on),
        prepared_(prepared),
        schedule_(prepared.schedule_),
        plan_(schedule_.plan),
        element_(size_of(schedule_.operand.dtype)),
        begun_(plan_.rounds.size()),
        read_(plan_.messages.size()) {}

  void run() { perform(schedule_.work, *this); }

 private:
  const MatchedMessage& message(std::uint32_t m) const { return plan_.messages[m]; }
  std::byte* data(Rank rank, Count first) const {
    return prepared_.data_[static_cast<std::size_t>(rank)] +
           static_cast<std::size_t>(first) * element_;
  }
  std::byte* scratch(Rank rank, std::size_t offset) const {
    return prepared_.scratch_[static_cast<std::size_t>(rank)]->data() + offset;
  }
  std::byte* staged(std::uint32_t m) const {
    return scratch(message(m).target, schedule_.staging[m]);
  }
  std::size_t bytes(Count elements) const { return static_cast<std::size_t>(elements) * element_; }
  DeviceStream& stream(Rank rank, int lane) const { return on_.stream(rank, lane); }

 public:  // called by perform()
  void begin(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    DeviceStream& mine = stream(its.rank, its.lane);
    for (const auto& [range, offset] : schedule_.copies[round])
      mine.copy(scratch(its.rank, offset), data(its.rank, range.first), bytes(range.elements));
    if (its.sends.empty()) return;
    begun_[round] = on_.take_event(on_.device_of(its.rank));
    mine.record(begun_[round]);
  }

  /// Where a message is read, once the sender's round has begun.
  const std::byte* source(std::uint32_t m, DeviceStream& mine) const {
    const MatchedMessage& its = message(m);
    const DevicePlace& place = schedule_.sources[m];
    mine.wait(begun_[its.source_round]);
    return place.in_scratch ? scratch(its.source, place.offset)
                            : data(its.source, 0) + place.offset;
  }
  void record_read(std::uint32_t m, DeviceStream& mine) {
    read_[m] = on_.take_event(on_.device_of(message(m).target));
    mine.record(read_[m]);
  }

  /// Reads `count` messages into the receiver's memory.
  void read(std::uint32_t first, std::uint32_t count) {
    const MatchedMessage& its = message(first);
    DeviceStream& mine = stream(its.target, its.lane);
    std::byte* const into = data(its.target, its.target_first);
    senders_.clear();
    for (std::uint32_t m = first; m < first + count; ++m) senders_.push_back(source(m, mine));
    if (its.kind == ActionKind::reduce)
      mine.reduce_all(into, senders_, its.elements, schedule_.operand);
    else
      mine.copy(into, senders_.front(), bytes(its.elements));
    for (std::uint32_t m = first; m < first + count; ++m) record_read(m, mine);
  }

  void stage(std::uint32_t m) {
    const MatchedMessage& its = message(m);
    DeviceStream& mine = stream(its.target, its.lane);
    mine.copy(staged(m), source(m, mine), bytes(its.elements));
    record_read(m, mine);
  }

  void apply(std::uint32_t m) {
    const MatchedMessage& its = message(m);
    DeviceStream& mine = stream(its.target, its.lane);
    std::byte* const into = data(its.target, its.target_first);
    if (its.kind == ActionKind::reduce)
      mine.reduce(into, staged(m), its.elements, schedule_.operand);
    else
      mine.copy(into, staged(m), bytes(its.elements));
  }

  // The events of the round are free again as soon as all waits for them are enqueued.
  void end(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    if (its.sends.empty()) return;
    for (const std::uint32_t m : its.sends) {
      stream(its.rank, its.lane).wait(read_[m]);
      on_.give_back(on_.device_of(message(m).target), std::move(read_[m]));
    }
    on_.give_back(on_.device_of(its.rank), std::move(begun_[round]));
  }

 private:
  ColocatedExecutor& on_;
  const Prepared& prepared_;
  const DeviceSchedule& schedule_;
  const MatchedSchedule& plan_;
  std::size_t element_;
  std::vector<DeviceEvent> begun_;         // of each round that sends
  std::vector<DeviceEvent> read_;          // of each message
  std::vector<const std::byte*> senders_;  // of one reduction
};

/// No kernel starts before all vectors are complete.
void ColocatedExecutor::enqueue_peers(const Prepared& prepared, bool in_place) {
  const auto fork = [&](Rank rank) {
    DeviceEvent event = take_event(*homes_.front());
    origin_->record(event);
    stream(rank).wait(event);
    give_back(*homes_.front(), std::move(event));
  };
  for (Rank rank = 0; rank < ranks() && !in_place; ++rank) {
    fork(rank);
    vectors_[static_cast<std::size_t>(rank)]->copy_input();
    order(stream(rank), device_of(rank), *origin_);
  }
  const PeerRun& its = *prepared.peer_;
  for (std::size_t k = 0; k < its.devices(); ++k) fork(its.first_rank(k));
  for (std::size_t k = 0; k < its.devices(); ++k) {
    const Rank first = its.first_rank(k);
    its.launch(k, stream(first));
    order(stream(first), device_of(first), *origin_);
  }
}

/// Each out of place after a copy of the loaded input.
void ColocatedExecutor::enqueue(const Prepared& prepared, bool in_place) {
  if (prepared.peer_) return enqueue_peers(prepared, in_place);
  const DeviceSchedule& schedule = prepared.schedule_;
  const int used = prepared.lanes_;
  DeviceEvent fork = take_event(*homes_.front());
  origin_->record(fork);
  for (Rank rank = 0; rank < ranks(); ++rank)
    for (int lane = 0; lane < used; ++lane) stream(rank, lane).wait(fork);
  give_back(*homes_.front(), std::move(fork));

  const AverageDivisors divisors = divisors_of(schedule.operand, ranks());
  const bool divides = divisors.before != 1 && schedule.plan.contributed > 0;
  for (Rank rank = 0; rank < ranks() && (divides || !in_place); ++rank) {
    if (!in_place) vectors_[static_cast<std::size_t>(rank)]->copy_input();
    if (divides)
      stream(rank).scale(prepared.data_[static_cast<std::size_t>(rank)], schedule.plan.contributed,
                         schedule.operand.dtype, divisors.before);
    for (int lane = 1; lane < used; ++lane)
      order(stream(rank), device_of(rank), stream(rank, lane));
  }

  Enqueuing(*this, prepared).run();

  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (int lane = 1; lane < used; ++lane)
      order(stream(rank, lane), device_of(rank), stream(rank));
    if (schedule.operand.op == Op::avg)
      for (const ElementRange& range : schedule.plan.divided[static_cast<std::size_t>(rank)])
        stream(rank).scale(
            prepared.data_[static_cast<std::size_t>(rank)] +
                static_cast<std::size_t>(range.first) * size_of(schedule.operand.dtype),
            range.elements, schedule.operand.dtype, divisors.after);
    order(stream(rank), device_of(rank), *origin_);
  }
}

}  // namespace arlab::collectives
