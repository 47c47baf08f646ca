#include "collectives/host/host_executor.hpp"

#include <cstring>

#include "collectives/host/execute.hpp"
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

void HostExecutor::load_input(const Problem& problem, Operand operand) {
  problem_ = problem;
  operand_ = operand;
  input_.resize(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  data_.resize(input_.size());
  fill(input_, operand_, problem_, communicator_.rank());
}

Executor::CheckedRun HostExecutor::run_checked(const Algorithm* algorithm, int segments) {
  CheckedRun result;
  if (!input_.empty()) std::memcpy(data_.data(), input_.data(), input_.size());
  Clock& clock = communicator_.clock();
  const auto what = [&] {
    return algorithm ? description(*algorithm, problem_, operand_)
                     : communicator_.native_name_for(problem_);
  };
  naming([&] { communicator_.barrier(); }, [&] { return "before " + what(); });
  const double start = clock.now();
  if (algorithm)
    result.sent =
        collectives::execute(communicator_, *algorithm, problem_, data_, operand_, segments);
  else
    communicator_.native_collective(problem_, data_.data(), operand_);
  const double seconds = clock.now() - start;
  result.wrong = wrong_elements(data_, operand_, problem_, communicator_.rank());
  result.us =
      naming([&] { return communicator_.max(1e6 * seconds); }, [&] { return "after " + what(); });
  return result;
}

}  // namespace arlab::collectives
