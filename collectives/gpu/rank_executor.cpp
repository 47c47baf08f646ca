#include "collectives/gpu/rank_executor.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/gpu/device_schedule.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {

namespace {

/// Whether one pass over the memory that the first use changes does for both.
bool applies_with(const PlannedUse& first, const PlannedUse& other) {
  return first.kind == other.kind && first.offset == other.offset &&
         first.elements == other.elements;
}

}  // namespace

RankExecutor::RankExecutor(Communicator& control, Device& device, DeviceTransport& transport,
                           Seconds patience)
    : Executor({.control = &control, .workload = this, .transport = transport.description()}),
      control_(control),
      device_(device),
      transport_(transport),
      patience_(patience),
      stream_(device.make_stream()),
      start_(device.make_event(true)),
      stop_(device.make_event(true)),
      graph_start_(device.make_event(true)),
      graph_stop_(device.make_event(true)) {
  traits_.baseline = &transport.baseline(*stream_);
}

RankExecutor::~RankExecutor() {
  if (std::uncaught_exceptions() > 0) abort();  // no peer comes any more: leave at once
  try {
    synchronize();  // no work is left on memory that is about to be freed
    if (second_) second_->synchronize();
  } catch (...) {       // reported before, or another rank has failed
    stream_->settle();  // messages are aborted by now, and end
    if (second_) second_->settle();
  }
  destroy_graphs();  // before the memory of NCCL below, which waits for an abort
}

void RankExecutor::abort() {
  transport_.abort();
  if (graphs_.empty()) return;
  stream_->settle();  // no graph is destroyed while it runs
  if (second_) second_->settle();
  destroy_graphs();
}

void RankExecutor::destroy_graphs() noexcept {
  for (const auto& its : std::exchange(graphs_, {}))
    if (const auto graph = its.lock()) graph->reset();
}

RankExecutor::Prepared RankExecutor::prepare(const Algorithm& algorithm, const Problem& problem,
                                             std::byte* data, Operand operand, int segments,
                                             Cutting cutting) {
  std::shared_ptr<DeviceMemory> own;
  return prepare(algorithm, problem, data, operand, segments, cutting, own);
}

/// `scratch`: used if it is large enough, else replaced.
RankExecutor::Prepared RankExecutor::prepare(const Algorithm& algorithm, const Problem& problem,
                                             std::byte* data, Operand operand, int segments,
                                             Cutting cutting,
                                             std::shared_ptr<DeviceMemory>& scratch) {
  arlab::collectives::check(algorithm, problem, control_.ranks());
  const Count granule = cutting == Cutting::at_64_bytes ? granule_of(operand.dtype) : 1;
  Prepared prepared;
  MatchedSchedule matched = match_schedule_of(algorithm, problem, segments, granule);
  DeviceSchedule whole;  // of all ranks, for a kernel that runs it
  if (transport_.runs_plans()) {
    whole = schedule_on_devices(std::move(matched), operand, [](Rank, Rank) { return true; });
    const auto me = static_cast<std::size_t>(control_.rank());
    prepared.part_.sent = whole.plan.sent[me];
    prepared.part_.scratch = whole.scratch[me];
  } else {
    const double applied = bytes_applied_per_step(matched, problem.ranks, size_of(operand.dtype));
    prepared.part_ =
        plan_of_rank(matched, control_.rank(), operand, applied >= overlap_from_ ? 2 : 1);
    if (prepared.part_.waves > 1 && !second_) {
      second_ = device_.make_stream();
      for (DeviceEvent& event : arrived_) event = device_.make_event();
      for (DeviceEvent& event : applied_) event = device_.make_event();
    }
  }
  prepared.data_ = data;
  prepared.operand_ = operand;
  prepared.ranks_ = problem.ranks;
  if (!scratch || scratch->size() < prepared.part_.scratch)
    scratch = std::make_shared<DeviceMemory>(device_.allocate(prepared.part_.scratch));
  prepared.scratch_ = scratch;
  if (transport_.runs_plans()) prepared.peer_ = transport_.plan(whole, data, scratch->data());
  if (!transport_.is_capturable()) return prepared;
  control_.barrier();  // a peer's stream may wait for this rank, which allocating may wait for
  prepared.graph_ = std::make_shared<Prepared::Graph>(stream_->capture([&] {
    stream_->record(graph_start_);
    enqueue_steps(prepared, nullptr);
    stream_->record(graph_stop_);
  }));
  if (prepared.peer_) return prepared;  // has no messages of the transport
  std::erase_if(graphs_, [](const auto& its) { return its.expired(); });
  graphs_.push_back(prepared.graph_);
  return prepared;
}

// A graph is enqueued as a whole: its place has no rounds. A run that is enqueued behind another
// ends that.
void RankExecutor::enter_collective(const Prepared* prepared) {
  Place* const place = control_.place();
  if (!place) return;
  if (std::exchange(inside_, true)) place->end();
  place->begin(prepared && !prepared->graph_ ? prepared->part_.lanes : 0);
}
void RankExecutor::leave_collective() {
  if (std::exchange(inside_, false)) control_.place()->end();
}

std::string RankExecutor::ranks_before() const {
  const std::vector<SeenPlace> places = control_.places();
  const auto mine = std::find_if(places.begin(), places.end(), [&](const SeenPlace& place) {
    return place.rank == control_.rank();
  });
  std::string text;
  for (const SeenPlace& its : places)
    if (its.collective < mine->collective)
      text += concat("\n  rank ", its.rank, " has not come to this collective");
  return text;
}

void RankExecutor::run(Prepared& prepared) {
  enter_collective(&prepared);
  stream_->record(start_);
  enqueue(prepared);
  stream_->record(stop_);
  timed_by_graph_ = prepared.graph_ != nullptr;
}

void RankExecutor::enqueue(Prepared& prepared) {
  if (prepared.graph_ && !*prepared.graph_)
    fail(Blame::environment, "a collective was aborted on this GPU: start the job again");
  if (prepared.peer_) ran_.insert(prepared.peer_);
  if (prepared.graph_)
    stream_->launch(**prepared.graph_);
  else
    enqueue_steps(prepared, control_.place());
}

void RankExecutor::enqueue_steps(const Prepared& prepared, Place* place) {
  if (prepared.peer_) return prepared.peer_->launch(0, *stream_);
  const RankPlan& part = prepared.part_;
  std::byte* const scratch = prepared.scratch_->data();
  const std::size_t element = size_of(prepared.operand_.dtype);
  const AverageDivisors divisors = divisors_of(prepared.operand_, prepared.ranks_);
  if (divisors.before != 1 && part.contributed > 0)
    stream_->scale(prepared.data_, part.contributed, prepared.operand_.dtype, divisors.before);
  std::array<bool, 2> applies{};  // by wave: what its next messages wait for
  for (const PlannedStep& step : part.steps) {
    for (const PlannedRound& round : step.rounds)
      if (place) place->begin_round(static_cast<std::size_t>(round.lane), round.number);
    calls_.clear();
    for (const PlannedMessage& call : step.calls)
      calls_.push_back({call.sends, call.peer,
                        (call.in_scratch ? scratch : prepared.data_) + call.offset, call.bytes});
    const auto wave = static_cast<std::size_t>(step.wave);
    if (std::exchange(applies[wave], false)) stream_->wait(applied_[wave]);
    transport_.exchange(calls_, *stream_);
    if (part.waves == 1 || step.uses.empty()) {
      apply(prepared, step, *stream_);
      continue;
    }
    stream_->record(arrived_[wave]);
    second_->wait(arrived_[wave]);
    apply(prepared, step, *second_);
    second_->record(applied_[wave]);
    applies[wave] = true;
  }
  for (std::size_t wave = 0; wave < applies.size(); ++wave)
    if (applies[wave]) stream_->wait(applied_[wave]);
  for (const ElementRange& range : part.divided)
    stream_->scale(prepared.data_ + static_cast<std::size_t>(range.first) * element, range.elements,
                   prepared.operand_.dtype, divisors.after);
}

void RankExecutor::apply(const Prepared& prepared, const PlannedStep& step, DeviceStream& stream) {
  const std::byte* const scratch = prepared.scratch_->data();
  for (std::size_t first = 0, next; first < step.uses.size(); first = next) {
    const PlannedUse& use = step.uses[first];
    std::byte* const into = prepared.data_ + use.offset;
    senders_.clear();
    for (next = first; next < step.uses.size() && applies_with(use, step.uses[next]); ++next)
      senders_.push_back(scratch + step.uses[next].scratch);
    if (use.kind == ActionKind::reduce)
      stream.reduce_all(into, senders_, use.elements, prepared.operand_);
    else
      stream.copy(into, senders_.back(),
                  static_cast<std::size_t>(use.elements) * size_of(prepared.operand_.dtype));
  }
}

void RankExecutor::run_native(const Problem& problem, std::byte* data, Operand operand) {
  baseline().use("");
  enter_collective(nullptr);
  stream_->record(start_);
  baseline().run(problem, data, data, operand);
  stream_->record(stop_);
  timed_by_graph_ = false;
}

void RankExecutor::exchange(std::span<const SendRecv> messages) {
  enter_collective(nullptr);
  stream_->record(start_);
  transport_.exchange(messages, *stream_);
  stream_->record(stop_);
  timed_by_graph_ = false;
}

Cost RankExecutor::run_in_place(const Algorithm* algorithm, const Problem& problem,
                                std::span<std::byte> data, Operand operand, int segments, int) {
  if (!algorithm) {
    run_native(problem, data.data(), operand);
    synchronize();
    return {};
  }
  Prepared prepared = prepare(*algorithm, problem, data.data(), operand, segments);
  run(prepared);
  synchronize();
  return prepared.sent();
}

void RankExecutor::load(const Problem& problem, Operand operand) {
  synchronize();
  prepared_.clear();
  scratch_ = nullptr;
  vector_ = nullptr;
  transport_.free_memory();
  problem_ = problem;
  operand_ = operand;
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  vector_ = std::make_unique<CheckedVector>(device_, *stream_, problem, operand, control_.rank(),
                                            transport_.allocate(device_, bytes));
  // Freeing and allocating may wait for a peer's stream that waits for this rank.
  control_.barrier();
}

RankExecutor::Prepared& RankExecutor::prepared_for(const Algorithm& algorithm, int segments) {
  const Key key{&algorithm, segments};
  if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
  return prepared_
      .emplace(key, prepare(algorithm, problem_, vector_->data(), operand_, segments,
                            Cutting::at_64_bytes, scratch_))
      .first->second;
}

// Before the ranks meet: allocating may wait for a peer's stream that already waits for this rank.
void RankExecutor::reset(const RunRequest& request) {
  prepared_request_ =
      request.algorithm ? &prepared_for(*request.algorithm, request.segments) : nullptr;
  vector_->reset(request.mode);
  synchronize();
}

double RankExecutor::run(const RunRequest& request, int repeats) {
  Prepared* const prepared = prepared_request_;
  const bool in_place = request.mode.in_place;
  stream_->record(start_);
  for (int k = 0; k < repeats; ++k) {
    enter_collective(prepared);
    if (!in_place) vector_->copy_input();
    if (prepared)
      enqueue(*prepared);
    else
      baseline().run(problem_, vector_->data(), vector_->data(), operand_);
  }
  stream_->record(stop_);
  timed_by_graph_ = prepared && prepared->graph_ && in_place && repeats == 1;
  return microseconds() / 1e6;
}

Workload::Result RankExecutor::check() {
  vector_->check();
  synchronize();
  return {.wrong = vector_->wrong(),
          .sent = prepared_request_ ? prepared_request_->sent() : Cost{}};
}

void RankExecutor::synchronize() {
  const auto start = std::chrono::steady_clock::now();
  try {
    for (;;) {
      transport_.check();
      control_.check_ranks();
      if (stream_->is_done()) {
        for (const auto& its : std::exchange(ran_, {})) its->check();
        return leave_collective();
      }
      if (std::chrono::steady_clock::now() - start > patience())
        fail(Blame::environment,
             "rank " + std::to_string(control_.rank()) + " has waited for " +
                 std::to_string(static_cast<int>(patience().count())) +
                 " s for its messages: another rank is stopped or gone; start the job again" +
                 ranks_before());
      std::this_thread::yield();
    }
  } catch (...) {
    abort();
    throw;
  }
}

double RankExecutor::microseconds() {
  synchronize();
  return timed_by_graph_ ? stream_->microseconds_between(graph_start_, graph_stop_)
                         : stream_->microseconds_between(start_, stop_);
}

}  // namespace arlab::collectives
