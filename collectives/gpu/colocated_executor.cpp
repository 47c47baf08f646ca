#include "collectives/gpu/colocated_executor.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "algorithms/base/error.hpp"
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

  void run() {
    for (const auto& [kind, index] : schedule_.work) switch (kind) {
        case DeviceWork::Kind::begin:
          begin(index);
          break;
        case DeviceWork::Kind::read:
          read(index, data(message(index).target, message(index).target_first));
          break;
        case DeviceWork::Kind::stage:
          read(index, nullptr);
          break;
        case DeviceWork::Kind::apply:
          apply(index);
          break;
        case DeviceWork::Kind::end:
          end(index);
          break;
      }
  }

 private:
  const MatchedMessage& message(std::uint32_t m) const { return plan_.messages[m]; }
  std::byte* data(Rank rank, Count first) const {
    return prepared_.data_[static_cast<std::size_t>(rank)] +
           static_cast<std::size_t>(first) * element_;
  }
  std::byte* scratch(Rank rank, std::size_t offset) const {
    return prepared_.scratch_[static_cast<std::size_t>(rank)].data() + offset;
  }
  std::byte* staged(std::uint32_t m) const {
    return scratch(message(m).target, schedule_.staging[m]);
  }
  std::size_t bytes(Count elements) const { return static_cast<std::size_t>(elements) * element_; }
  DeviceStream& stream(Rank rank, int lane) const {
    return *on_.streams_[on_.stream_of(rank, lane)];
  }

  void begin(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    DeviceStream& mine = stream(its.rank, its.lane);
    for (const auto& [range, offset] : schedule_.copies[round])
      mine.copy(scratch(its.rank, offset), data(its.rank, range.first), bytes(range.elements));
    if (its.sends.empty()) return;
    begun_[round] = on_.take_event(on_.device(its.rank));
    mine.record(begun_[round]);
  }

  /// Reads into the receiver's memory, or stages the message if `into` is null.
  void read(std::uint32_t m, std::byte* into) {
    const MatchedMessage& its = message(m);
    const DevicePlace& place = schedule_.sources[m];
    const std::byte* const from =
        place.in_scratch ? scratch(its.source, place.offset) : data(its.source, 0) + place.offset;
    DeviceStream& mine = stream(its.target, its.lane);
    mine.wait(begun_[its.source_round]);
    if (!into)
      mine.copy(staged(m), from, bytes(its.elements));
    else
      store(mine, its, into, from);
    read_[m] = on_.take_event(on_.device(its.target));
    mine.record(read_[m]);
  }

  void apply(std::uint32_t m) {
    const MatchedMessage& its = message(m);
    store(stream(its.target, its.lane), its, data(its.target, its.target_first), staged(m));
  }

  void store(DeviceStream& mine, const MatchedMessage& its, std::byte* into,
             const std::byte* from) {
    if (its.kind == ActionKind::reduce)
      mine.reduce(into, from, its.elements, schedule_.operand);
    else
      mine.copy(into, from, bytes(its.elements));
  }

  // The events of the round are free again as soon as all waits for them are enqueued.
  void end(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    if (its.sends.empty()) return;
    for (const std::uint32_t m : its.sends) {
      stream(its.rank, its.lane).wait(read_[m]);
      on_.give_back(on_.device(message(m).target), std::move(read_[m]));
    }
    on_.give_back(on_.device(its.rank), std::move(begun_[round]));
  }

  ColocatedExecutor& on_;
  const Prepared& prepared_;
  const DeviceSchedule& schedule_;
  const MatchedSchedule& plan_;
  std::size_t element_;
  std::vector<DeviceEvent> begun_;  // of each round that sends
  std::vector<DeviceEvent> read_;   // of each message
};

ColocatedExecutor::ColocatedExecutor(Devices& devices, Rank ranks, int streams, bool as_graphs)
    : streams_per_rank_(streams), as_graphs_(as_graphs), one_device_(devices.size() == 1) {
  expects(!devices.empty() && streams >= 1, "no device or no streams for ranks");
  if (ranks < 1 || ranks > kMaxDeviceRanks)
    fail(Blame::usage,
         std::to_string(ranks) + " ranks on devices: give 1 to " + std::to_string(kMaxDeviceRanks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto device =
        static_cast<std::size_t>(rank) * devices.size() / static_cast<std::size_t>(ranks);
    homes_.push_back(devices[device].get());
    for (int lane = 0; lane < streams; ++lane) streams_.push_back(homes_.back()->make_stream());
  }
  origin_ = homes_.front()->make_stream();
  start_ = homes_.front()->make_event(true);
  stop_ = homes_.front()->make_event(true);
}

ColocatedExecutor::~ColocatedExecutor() {
  try {
    synchronize();                   // no work is left on memory that is about to be freed
  } catch (const std::exception&) {  // reported where it happened
  }
}

ColocatedExecutor::Prepared ColocatedExecutor::prepare(const Algorithm& algorithm,
                                                       const Problem& problem,
                                                       std::span<std::byte* const> data,
                                                       Operand operand, int segments,
                                                       bool as_graph) {
  check(algorithm, problem, ranks());
  expects(data.size() == homes_.size(), "a vector for each rank");
  Prepared prepared;
  prepared.schedule_ = schedule_on_devices(
      match_schedule_of(algorithm, problem, segments), operand,
      [&](Rank target, Rank source) { return device(target).reads(device(source)); });
  prepared.data_.assign(data.begin(), data.end());
  for (Rank rank = 0; rank < ranks(); ++rank)
    prepared.scratch_.push_back(
        device(rank).allocate(prepared.schedule_.scratch[static_cast<std::size_t>(rank)]));
  if (!as_graph) return prepared;
  origin_->begin_capture();
  enqueue(prepared);
  prepared.graph_ = origin_->end_capture();
  return prepared;
}

void ColocatedExecutor::run(Prepared& prepared, const RunMode& mode) {
  for (Rank rank = 0; rank < ranks(); ++rank) order(stream(rank), device(rank), *origin_);
  origin_->record(start_);
  for (int k = 0; k < mode.repeats; ++k) {
    if (!mode.in_place) {
      for (Rank rank = 0; rank < ranks(); ++rank) {
        order(*origin_, *homes_.front(), stream(rank));
        vectors_[static_cast<std::size_t>(rank)]->copy_input();
      }
      for (Rank rank = 0; rank < ranks(); ++rank) order(stream(rank), device(rank), *origin_);
    }
    if (prepared.graph_)
      origin_->launch(*prepared.graph_);
    else
      enqueue(prepared);
  }
  origin_->record(stop_);
  for (Rank rank = 0; rank < ranks(); ++rank) stream(rank).wait(stop_);
}

void ColocatedExecutor::enqueue(const Prepared& prepared) {
  const DeviceSchedule& schedule = prepared.schedule_;
  int used = 1;  // streams of each rank
  for (const MatchedRound& round : schedule.plan.rounds)
    used = std::max(used, std::min(round.lane + 1, streams_per_rank_));
  DeviceEvent fork = take_event(*homes_.front());
  origin_->record(fork);
  for (Rank rank = 0; rank < ranks(); ++rank)
    for (int lane = 0; lane < used; ++lane) streams_[stream_of(rank, lane)]->wait(fork);
  give_back(*homes_.front(), std::move(fork));

  const AverageDivisors divisors = divisors_of(schedule.operand, ranks());
  if (divisors.before != 1 && schedule.plan.contributed > 0)
    for (Rank rank = 0; rank < ranks(); ++rank) {
      stream(rank).scale(prepared.data_[static_cast<std::size_t>(rank)], schedule.plan.contributed,
                         schedule.operand.dtype, divisors.before);
      for (int lane = 1; lane < used; ++lane)
        order(stream(rank), device(rank), *streams_[stream_of(rank, lane)]);
    }

  Enqueuing(*this, prepared).run();

  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (int lane = 1; lane < used; ++lane)
      order(*streams_[stream_of(rank, lane)], device(rank), stream(rank));
    if (schedule.operand.op == Op::avg)
      for (const ElementRange& range : schedule.plan.divided[static_cast<std::size_t>(rank)])
        stream(rank).scale(
            prepared.data_[static_cast<std::size_t>(rank)] +
                static_cast<std::size_t>(range.first) * size_of(schedule.operand.dtype),
            range.elements, schedule.operand.dtype, divisors.after);
    order(stream(rank), device(rank), *origin_);
  }
}

void ColocatedExecutor::synchronize() {
  for (const auto& stream : streams_) stream->synchronize();
  origin_->synchronize();
}

Cost ColocatedExecutor::sent_by_all(const Prepared& prepared) const {
  Cost all;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    const Cost& sent = prepared.sent(rank);
    all.messages += sent.messages;
    all.elements += sent.elements;
    all.rounds = std::max(all.rounds, sent.rounds);
  }
  return all;
}

Cost ColocatedExecutor::execute(const Algorithm& algorithm, const Problem& problem,
                                std::span<std::byte> data, Operand operand, int segments, int) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (data.size() != homes_.size() * bytes)
    fail(Blame::usage, "the data has " + std::to_string(data.size()) + " bytes, but " +
                           std::to_string(ranks()) + " co-located ranks have " +
                           std::to_string(bytes) + " each");
  const DeviceMemory host = homes_.front()->allocate_pinned(data.size());
  std::vector<DeviceMemory> vectors;
  std::vector<std::byte*> on_devices;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    vectors.push_back(device(rank).allocate(bytes));
    on_devices.push_back(vectors.back().data());
  }
  Prepared prepared = prepare(algorithm, problem, on_devices, operand, segments, as_graphs_);
  const auto at = [&](Rank rank) { return host.data() + static_cast<std::size_t>(rank) * bytes; };
  if (!data.empty()) std::memcpy(host.data(), data.data(), data.size());
  for (Rank rank = 0; rank < ranks(); ++rank)
    stream(rank).copy(on_devices[static_cast<std::size_t>(rank)], at(rank), bytes);
  run(prepared);
  for (Rank rank = 0; rank < ranks(); ++rank)
    stream(rank).copy(at(rank), on_devices[static_cast<std::size_t>(rank)], bytes);
  synchronize();
  if (!data.empty()) std::memcpy(data.data(), host.data(), data.size());
  return sent_by_all(prepared);
}

void ColocatedExecutor::native_allreduce(std::span<std::byte>, Operand) {
  fail(Blame::usage, "co-located ranks have no native allreduce: choose an algorithm");
}

void ColocatedExecutor::load_input(const Problem& problem, Operand operand) {
  synchronize();
  prepared_.clear();
  vectors_.clear();
  problem_ = problem;
  operand_ = operand;
  for (Rank rank = 0; rank < ranks(); ++rank)
    vectors_.push_back(
        std::make_unique<CheckedVector>(device(rank), stream(rank), problem, operand, rank));
}

ColocatedExecutor::Prepared& ColocatedExecutor::prepared_for(const Algorithm& algorithm,
                                                             int segments) {
  const Key key{&algorithm, segments};
  if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
  std::vector<std::byte*> data;
  for (const auto& vector : vectors_) data.push_back(vector->data());
  return prepared_.emplace(key, prepare(algorithm, problem_, data, operand_, segments, as_graphs_))
      .first->second;
}

CheckedRun ColocatedExecutor::run_checked(const RunRequest& request) {
  if (!request.algorithm) native_allreduce({}, operand_);  // throws: there is none
  if (request.delay > 0 || request.lead > 0)
    fail(Blame::usage, "co-located ranks start together: none can be late, and none waits");
  const RunMode& mode = request.mode;
  Prepared& prepared = prepared_for(*request.algorithm, request.segments);
  const auto reset = [&] {
    for (const auto& vector : vectors_) vector->reset(mode);
  };
  reset();
  run(prepared, mode);
  CheckedRun result;
  synchronize();
  result.us = microseconds() / mode.repeats;
  if (mode.in_place && mode.repeats > 1) {  // each has changed the input of the next
    reset();
    run(prepared);
  }
  for (const auto& vector : vectors_) vector->check();
  synchronize();
  result.traffic = one_device_ ? prepared.traffic() : 0;
  result.sent = sent_by_all(prepared);
  for (const auto& vector : vectors_) result.wrong += vector->wrong();
  return result;
}

DeviceEvent ColocatedExecutor::take_event(Device& device) {
  std::vector<DeviceEvent>& free = free_events_[&device];
  if (free.empty()) return device.make_event();
  DeviceEvent event = std::move(free.back());
  free.pop_back();
  return event;
}

void ColocatedExecutor::order(DeviceStream& earlier, Device& device, DeviceStream& later) {
  DeviceEvent event = take_event(device);
  earlier.record(event);
  later.wait(event);
  give_back(device, std::move(event));
}

}  // namespace arlab::collectives
