#include "collectives/host/host_executor.hpp"

#include <cstring>

#include "collectives/host/evict.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::collectives {

Cost HostExecutor::run_in_place(const Algorithm* algorithm, const Problem& problem,
                                std::span<std::byte> data, Operand operand, int segments,
                                int first_lane) {
  if (algorithm)
    return collectives::execute(communicator_, *algorithm, problem, data, operand, segments,
                                first_lane);
  baseline().run(problem, data.data(), data.data(), operand);
  return {};
}

Baseline& HostExecutor::other_baseline() {
  if (!connect_) return Executor::other_baseline();
  if (!other_) other_ = connect_(communicator_);
  return *other_;
}

void HostExecutor::load(const Problem& problem, Operand operand) {
  problem_ = problem;
  operand_ = operand;
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (other_) other_->use("");  // it keeps nothing for vectors that are freed
  input_memory_.reset();
  data_memory_.reset();
  input_memory_ = communicator_.allocate(bytes);
  data_memory_ = communicator_.allocate(bytes);
  input_ = {input_memory_.get(), bytes};
  data_ = {data_memory_.get(), bytes};
  fill(input_, operand_, problem_, communicator_.rank());
  plans_.clear();
}

void HostExecutor::reset(const RunRequest& request) {
  plan_ = request.algorithm ? plan_of(request) : nullptr;
  const RunMode& mode = request.mode;
  if (input_.empty()) return;
  if (mode.in_place)
    std::memcpy(data_.data(), input_.data(), input_.size());
  else
    std::memset(data_.data(), kNoResult, data_.size());
  if (!mode.cold) return;
  evict(input_);
  evict(data_);
}

double HostExecutor::run(const RunRequest& request, int repeats) {
  Clock& clock = communicator_.clock();
  const double start = clock.now();
  for (int k = 0; k < repeats; ++k) sent_ = run_once(request);
  return clock.now() - start;
}

Cost HostExecutor::run_once(const RunRequest& request) {
  if (!request.algorithm) {
    const std::byte* const from = request.mode.in_place ? data_.data() : input_.data();
    baseline_of(request.native).run(problem_, from, data_.data(), operand_);
    return {};
  }
  if (plan_)
    return request.mode.in_place ? plan_->run(communicator_, data_)
                                 : plan_->run(communicator_, input_, data_);
  if (!request.mode.in_place && !input_.empty())
    std::memcpy(data_.data(), input_.data(), input_.size());
  return collectives::execute(communicator_, *request.algorithm, problem_, data_, operand_,
                              request.segments);
}

Workload::Result HostExecutor::check() {
  return {.wrong = wrong_elements(data_, operand_, problem_, communicator_.rank()),
          .sent = sent_,
          .traffic = plan_ ? static_cast<double>(plan_->memory_traffic()) : 0};
}

// Null if the rounds of all lanes would fill the memory: they are then made anew in each run.
HostPlan* HostExecutor::plan_of(const RunRequest& request) {
  constexpr Count kMostLanesByRanks = 4096;
  const Algorithm& algorithm = *request.algorithm;
  const std::pair key{&algorithm, request.segments};
  if (const auto found = plans_.find(key); found != plans_.end()) return &found->second;
  const Count lanes = Count{request.segments} *
                      (algorithm.lane_weights
                           ? static_cast<Count>(algorithm.lane_weights(problem_).size())
                           : algorithm.lanes);
  if (lanes * problem_.ranks > kMostLanesByRanks) return nullptr;
  return &plans_
              .try_emplace(key, algorithm, problem_, communicator_.rank(), operand_,
                           request.segments)
              .first->second;
}

}  // namespace arlab::collectives
