#include "collectives/host/host_executor.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"
#include "collectives/host/evict.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/host/start_line.hpp"
#include "collectives/patience.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::collectives {

Cost HostExecutor::execute(const Algorithm& algorithm, const Problem& problem,
                           std::span<std::byte> data, Operand operand, int segments,
                           int first_lane) {
  return collectives::execute(communicator_, algorithm, problem, data, operand, segments,
                              first_lane);
}

void HostExecutor::native_allreduce(std::span<std::byte> data, Operand operand) {
  communicator_.native_allreduce(data.data(),
                                 static_cast<Count>(data.size() / size_of(operand.dtype)), operand);
}

std::vector<std::string> Executor::native_algorithms() {
  fail(Blame::environment,
       "this backend has no library whose algorithm can be chosen: use the backend mpi");
}

void HostExecutor::load_input(const Problem& problem, Operand operand) {
  problem_ = problem;
  operand_ = operand;
  input_.resize(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  data_.resize(input_.size());
  fill(input_, operand_, problem_, communicator_.rank());
  held_ = held_at_start(problem, communicator_.rank());
}

void HostExecutor::prepare(const RunMode& mode) {
  if (input_.empty()) return;
  if (mode.in_place)
    std::memcpy(data_.data(), input_.data(), input_.size());
  else
    std::memset(data_.data(), kNoResult, data_.size());
  if (!mode.cold) return;
  evict(input_);
  evict(data_);
}

Cost HostExecutor::run_once(const RunRequest& request) {
  if (!request.algorithm) {
    if (request.mode.in_place)
      communicator_.native_collective(problem_, data_.data(), operand_);
    else
      communicator_.native_collective(problem_, input_.data(), data_.data(), operand_);
    return {};
  }
  if (!request.mode.in_place)
    for (const ElementRange& range : held_) {
      const std::size_t element = size_of(operand_.dtype);
      const std::size_t first = static_cast<std::size_t>(range.first) * element;
      std::memcpy(data_.data() + first, input_.data() + first,
                  static_cast<std::size_t>(range.elements) * element);
    }
  return collectives::execute(communicator_, *request.algorithm, problem_, data_, operand_,
                              request.segments);
}

CheckedRun HostExecutor::run_checked(const RunRequest& request) {
  CheckedRun result;
  if (!request.algorithm && request.native != native_) {
    communicator_.use_native(request.native);
    native_ = request.native;
  }
  prepare(request.mode);
  Clock& clock = communicator_.clock();
  const auto what = [&] {
    return request.algorithm ? description(*request.algorithm, problem_, operand_)
                             : communicator_.native_name_for(problem_);
  };
  const bool in_time = naming([&] { return wait_for_start(communicator_, request); },
                              [&] { return "before " + what(); });
  const double start = clock.now();
  for (int k = 0; k < request.mode.repeats; ++k) result.sent = run_once(request);
  const double stop = clock.now();
  result.interval = {request.clock.global(start), request.clock.global(stop)};
  if (request.mode.in_place && request.mode.repeats > 1) {
    prepare(request.mode);
    run_once(request);
  }
  result.wrong = wrong_elements(data_, operand_, problem_, communicator_.rank());
  const double us = microseconds_or_late(in_time, (stop - start) / request.mode.repeats);
  result.us = naming([&] { return communicator_.max(us); }, [&] { return "after " + what(); });
  return result;
}

}  // namespace arlab::collectives
