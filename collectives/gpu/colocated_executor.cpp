#include "collectives/gpu/colocated_executor.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {

ColocatedExecutor::ColocatedExecutor(Devices& devices, Rank ranks, int streams, bool as_graphs,
                                     std::optional<PeerOptions> peer)
    : Executor({.control = &control_, .workload = this, .ranks_here = ranks, .together = true}),
      streams_per_rank_(streams),
      as_graphs_(as_graphs),
      one_device_(devices.size() == 1),
      peer_(peer) {
  expects(!devices.empty() && streams >= 1, "no device or no streams for ranks");
  if (ranks < 1 || ranks > kMaxDeviceRanks)
    fail(Blame::usage,
         std::to_string(ranks) + " ranks on devices: give 1 to " + std::to_string(kMaxDeviceRanks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto device =
        static_cast<std::size_t>(rank) * devices.size() / static_cast<std::size_t>(ranks);
    homes_.push_back(devices[device].get());
  }
  make_streams(1);
  origin_ = homes_.front()->make_stream();
  for (DeviceEvent* const event : {&start_, &stop_, &graph_start_, &graph_stop_})
    *event = homes_.front()->make_event(true);
}

void ColocatedExecutor::make_streams(int lanes) {
  while (std::ssize(streams_) < lanes) {
    streams_.emplace_back();
    for (Device* const home : homes_) streams_.back().push_back(home->make_stream());
  }
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
  std::vector<std::shared_ptr<DeviceMemory>> own;
  return prepare(algorithm, problem, data, operand, segments, as_graph, own);
}

/// `scratch`: of each rank, used where it is large enough, else replaced.
ColocatedExecutor::Prepared ColocatedExecutor::prepare(
    const Algorithm& algorithm, const Problem& problem, std::span<std::byte* const> data,
    Operand operand, int segments, bool as_graph,
    std::vector<std::shared_ptr<DeviceMemory>>& scratch) {
  arlab::collectives::check(algorithm, problem, ranks());
  expects(data.size() == homes_.size(), "a vector for each rank");
  Prepared prepared;
  prepared.schedule_ = schedule_on_devices(
      match_schedule_of(algorithm, problem, segments, granule_of(operand.dtype)), operand,
      [&](Rank target, Rank source) { return device_of(target).reads(device_of(source)); });
  prepared.data_.assign(data.begin(), data.end());
  for (const MatchedRound& round : prepared.schedule_.plan.rounds)
    if (!peer_)
      prepared.lanes_ = std::max(prepared.lanes_, std::min(round.lane + 1, streams_per_rank_));
  make_streams(prepared.lanes_);
  scratch.resize(homes_.size());
  for (Rank rank = 0; rank < ranks(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const std::size_t needed = prepared.schedule_.scratch[at];
    if (!scratch[at] || scratch[at]->size() < needed)
      scratch[at] = std::make_shared<DeviceMemory>(device_of(rank).allocate(needed));
  }
  prepared.scratch_ = scratch;
  if (peer_) {
    std::vector<std::byte*> places;
    for (const auto& its : scratch) places.push_back(its->data());
    prepared.peer_ = std::make_shared<PeerRun>(prepared.schedule_, homes_, data, places, *peer_);
  }
  if (as_graph) prepared.graph_ = capture(prepared, true);
  return prepared;
}

std::unique_ptr<DeviceGraph> ColocatedExecutor::capture(const Prepared& prepared, bool in_place) {
  return origin_->capture([&] {
    origin_->record(graph_start_);
    enqueue(prepared, in_place);
    origin_->record(graph_stop_);
  });
}

// A graph has events of its own: the device takes the time of the others as soon as it is idle,
// before the host has launched anything.
void ColocatedExecutor::run(Prepared& prepared, const RunMode& mode) {
  DeviceGraph* const graph = mode.in_place ? prepared.graph_.get() : prepared.out_of_place_.get();
  last_peer_ = prepared.peer_;
  for (Rank rank = 0; rank < ranks(); ++rank) order(stream(rank), device_of(rank), *origin_);
  origin_->record(start_);
  for (int k = 0; k < mode.repeats; ++k)
    if (graph)
      origin_->launch(*graph);
    else
      enqueue(prepared, mode.in_place);
  origin_->record(stop_);
  for (Rank rank = 0; rank < ranks(); ++rank) stream(rank).wait(stop_);
  timed_by_graph_ = graph && mode.repeats == 1;
}

void ColocatedExecutor::synchronize() {
  for (const auto& lane : streams_)
    for (const auto& stream : lane) stream->synchronize();
  origin_->synchronize();
  if (const auto ran = std::exchange(last_peer_, nullptr)) ran->check();
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

Cost ColocatedExecutor::run_in_place(const Algorithm* algorithm, const Problem& problem,
                                     std::span<std::byte> data, Operand operand, int segments,
                                     int) {
  if (!algorithm) {  // fails: there is no library
    baseline().run(problem, data.data(), data.data(), operand);
    return {};
  }
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (data.size() != homes_.size() * bytes)
    fail(Blame::usage, "the data has " + std::to_string(data.size()) + " bytes, but " +
                           std::to_string(ranks()) + " co-located ranks have " +
                           std::to_string(bytes) + " each");
  const DeviceMemory host = homes_.front()->allocate(data.size(), MemoryKind::pinned);
  std::vector<DeviceMemory> vectors;
  std::vector<std::byte*> on_devices;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    vectors.push_back(device_of(rank).allocate(bytes));
    on_devices.push_back(vectors.back().data());
  }
  Prepared prepared = prepare(*algorithm, problem, on_devices, operand, segments, as_graphs_);
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

void ColocatedExecutor::load(const Problem& problem, Operand operand) {
  synchronize();
  prepared_.clear();
  scratch_.clear();
  vectors_.clear();
  problem_ = problem;
  operand_ = operand;
  for (Rank rank = 0; rank < ranks(); ++rank)
    vectors_.push_back(
        std::make_unique<CheckedVector>(device_of(rank), stream(rank), problem, operand, rank));
}

// All that is prepared runs in turn, and shares scratch.
ColocatedExecutor::Prepared& ColocatedExecutor::prepared_for(const Algorithm& algorithm,
                                                             int segments, const RunMode& mode) {
  const Key key{&algorithm, segments};
  auto known = prepared_.find(key);
  if (known == prepared_.end()) {
    std::vector<std::byte*> data;
    for (const auto& vector : vectors_) data.push_back(vector->data());
    known = prepared_
                .emplace(key, prepare(algorithm, problem_, data, operand_, segments, as_graphs_,
                                      scratch_))
                .first;
  }
  Prepared& prepared = known->second;
  if (as_graphs_ && !mode.in_place && !prepared.out_of_place_)
    prepared.out_of_place_ = capture(prepared, false);
  return prepared;
}

void ColocatedExecutor::reset(const RunRequest& request) {
  prepared_request_ = &prepared_for(*request.algorithm, request.segments, request.mode);
  for (const auto& vector : vectors_) vector->reset(request.mode);
}

double ColocatedExecutor::run(const RunRequest& request, int repeats) {
  RunMode mode = request.mode;
  mode.repeats = repeats;
  run(*prepared_request_, mode);
  synchronize();
  return microseconds() / 1e6;
}

Workload::Result ColocatedExecutor::check() {
  for (const auto& vector : vectors_) vector->check();
  synchronize();
  Result result{.sent = sent_by_all(*prepared_request_),
                .traffic = one_device_ ? prepared_request_->traffic() : 0};
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
