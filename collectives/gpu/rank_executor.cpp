#include "collectives/gpu/rank_executor.hpp"

#include <exception>
#include <thread>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

void DeviceTransport::native_allreduce(std::byte*, Count, Operand, DeviceStream&) {
  fail(Blame::usage, "this backend has no allreduce of its own: choose an algorithm");
}

RankExecutor::RankExecutor(Communicator& control, Device& device, DeviceTransport& wires,
                           Seconds patience)
    : control_(control),
      device_(device),
      wires_(wires),
      patience_(patience),
      stream_(device.make_stream()),
      start_(device.make_event(true)),
      stop_(device.make_event(true)) {}

RankExecutor::~RankExecutor() {
  try {
    synchronise();  // nothing works on memory that is about to go
  } catch (
      const std::exception&) {  // was said before, or this rank is leaving because of another one
  }
}

RankExecutor::Prepared RankExecutor::prepare(const Algorithm& algorithm, const Problem& problem,
                                             std::byte* data, Operand operand, int segments) {
  arlab::collectives::check(algorithm, problem, control_.ranks());
  Prepared prepared;
  prepared.part_ = part_of(plan_of(algorithm, problem, segments), control_.rank(), operand);
  prepared.data_ = data;
  prepared.operand_ = operand;
  prepared.ranks_ = problem.ranks;
  prepared.scratch_ = device_.allocate(prepared.part_.scratch);
  return prepared;
}

void RankExecutor::run(Prepared& prepared) {
  const RankPlan& part = prepared.part_;
  std::byte* const scratch = prepared.scratch_.data();
  const std::size_t element = size_of(prepared.operand_.dtype);
  stream_->record(*start_);
  for (const PartStep& step : part.steps) {
    calls_.clear();
    for (const PartCall& call : step.calls)
      calls_.push_back({call.sends, call.peer,
                        (call.in_scratch ? scratch : prepared.data_) + call.offset, call.bytes});
    wires_.exchange(calls_, *stream_);
    for (const PartUse& use : step.uses)
      if (use.kind == ActionKind::reduce)
        stream_->reduce(prepared.data_ + use.offset, scratch + use.scratch, use.elements,
                        prepared.operand_);
      else
        stream_->copy(prepared.data_ + use.offset, scratch + use.scratch,
                      static_cast<std::size_t>(use.elements) * element);
  }
  for (const Piece& piece : part.divided)
    stream_->scale(prepared.data_ + static_cast<std::size_t>(piece.first) * element, piece.elements,
                   prepared.operand_.dtype, prepared.ranks_);
  stream_->record(*stop_);
}

void RankExecutor::run_native(std::byte* data, Count elements, Operand operand) {
  stream_->record(*start_);
  wires_.native_allreduce(data, elements, operand, *stream_);
  stream_->record(*stop_);
}

void RankExecutor::synchronise() {
  const auto start = std::chrono::steady_clock::now();
  try {
    for (;;) {
      wires_.check();
      if (stream_->is_done()) return;
      if (std::chrono::steady_clock::now() - start > patience_)
        fail(Blame::environment, "rank " + std::to_string(control_.rank()) + " has waited for " +
                                     std::to_string(static_cast<int>(patience_.count())) +
                                     " s for its messages: is another rank stuck or gone?");
      std::this_thread::yield();
    }
  } catch (...) {
    wires_.abort();
    throw;
  }
}

double RankExecutor::microseconds() {
  synchronise();
  return stop_->microseconds_since(*start_);
}

}  // namespace arlab::collectives
