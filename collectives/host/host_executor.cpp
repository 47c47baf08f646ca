#include "collectives/host/host_executor.hpp"

#include <algorithm>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "collectives/host/evict.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/host/start_line.hpp"
#include "collectives/patience.hpp"
#include "collectives/schedule/stalled_state.hpp"
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

Executor::DeviceRun Executor::execute_on_device(const Algorithm*, const Problem&, std::byte*,
                                                Operand, int, std::span<const DeviceEvent>) {
  fail(Blame::usage,
       "this backend reduces vectors in host memory: use the backend nccl or mpi-cuda");
}

double Executor::exchange_on_device(std::span<const SendRecv>, const DeviceEvent&) {
  fail(Blame::usage,
       "this backend exchanges no messages in a device's memory: use the backend nccl");
}

std::vector<std::string> Executor::native_algorithms() {
  fail(Blame::environment,
       "this backend has no library whose algorithm can be chosen: use the backend mpi or nccl");
}

std::vector<std::string> Executor::other_algorithms() {
  fail(Blame::environment,
       "no rows of Gloo on this backend: they run on CPUs, with the backends threads, mpi and shm");
}

const char* HostExecutor::other_algorithm(const std::string& spec) {
  const std::size_t length = std::strlen(kGlooPrefix);
  return spec.starts_with(kGlooPrefix) ? spec.c_str() + length : nullptr;
}

OtherLibrary& HostExecutor::other() {
  if (!connect_) Executor::other_algorithms();
  if (!other_) other_ = connect_(communicator_);
  return *other_;
}

std::vector<std::string> HostExecutor::other_algorithms() {
  std::vector<std::string> all;
  for (const std::string& algorithm : other().algorithms) all.push_back(kGlooPrefix + algorithm);
  return all;
}

std::string HostExecutor::native_unsupported(const std::string& spec, Operand operand) {
  const char* const algorithm = other_algorithm(spec);
  return algorithm ? other().unsupported(algorithm, operand) : "";
}

std::string HostExecutor::native_label(const std::string& spec) const {
  const char* const algorithm = other_algorithm(spec);
  return algorithm && other_ ? other_->name + ":" + algorithm + " (" + other_->transport + ")"
                             : communicator_.native_label(spec);
}

void HostExecutor::load_input(const Problem& problem, Operand operand) {
  problem_ = problem;
  operand_ = operand;
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (other_) other_->forget_vectors();
  input_memory_.reset();
  data_memory_.reset();
  input_memory_ = communicator_.allocate(bytes);
  data_memory_ = communicator_.allocate(bytes);
  input_ = {input_memory_.get(), bytes};
  data_ = {data_memory_.get(), bytes};
  fill(input_, operand_, problem_, communicator_.rank());
  plans_.clear();
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

Cost HostExecutor::run_once(const RunRequest& request, HostPlan* plan) {
  if (const char* const algorithm = other_algorithm(request.native); algorithm) {
    if (!request.mode.in_place && !input_.empty())
      std::memcpy(data_.data(), input_.data(), input_.size());
    other().run(algorithm, data_.data(), problem_.elements, operand_);
    return {};
  }
  if (!request.algorithm) {
    if (request.mode.in_place)
      communicator_.native_collective(problem_, data_.data(), operand_);
    else
      communicator_.native_collective(problem_, input_.data(), data_.data(), operand_);
    return {};
  }
  if (plan)
    return request.mode.in_place ? plan->run(communicator_, data_)
                                 : plan->run(communicator_, input_, data_);
  if (!request.mode.in_place && !input_.empty())
    std::memcpy(data_.data(), input_.data(), input_.size());
  return collectives::execute(communicator_, *request.algorithm, problem_, data_, operand_,
                              request.segments);
}

// Null if the rounds of all lanes would fill the memory: they are then made anew in each run.
HostPlan* HostExecutor::plan_of(const RunRequest& request) {
  constexpr Count kMostLanesByRanks = 4096;
  const Algorithm& algorithm = *request.algorithm;
  const std::pair key{&algorithm, request.segments};
  if (const auto found = plans_.find(key); found != plans_.end()) return &found->second;
  const Count lanes =
      Count{request.segments} * (algorithm.lane_weights ? problem_.ranks : algorithm.lanes);
  if (lanes * problem_.ranks > kMostLanesByRanks) return nullptr;
  return &plans_
              .try_emplace(key, algorithm, problem_, communicator_.rank(), operand_,
                           request.segments)
              .first->second;
}

CheckedRun HostExecutor::run_checked(const RunRequest& request) {
  CheckedRun result;
  if (!request.algorithm && request.native != native_ && !other_algorithm(request.native)) {
    communicator_.use_native(request.native);
    native_ = request.native;
  }
  HostPlan* const plan = request.algorithm ? plan_of(request) : nullptr;
  prepare(request.mode);
  Clock& clock = communicator_.clock();
  const auto what = [&] {
    return request.algorithm                 ? description(*request.algorithm, problem_, operand_)
           : other_algorithm(request.native) ? native_label(request.native)
                                             : communicator_.native_name_for(problem_);
  };
  const auto state = [&] { return stalled_between(communicator_.places()); };
  const bool in_time = naming(
      [&] { return explaining([&] { return wait_for_start(communicator_, request); }, state); },
      [&] { return "before " + what(); });
  const double start = clock.now();
  for (int k = 0; k < request.mode.repeats; ++k) result.sent = run_once(request, plan);
  const double stop = clock.now();
  result.interval = {request.clock.global(start), request.clock.global(stop)};
  if (request.mode.in_place && request.mode.repeats > 1) {
    prepare(request.mode);
    run_once(request, plan);
  }
  if (plan) result.traffic = static_cast<double>(plan->memory_traffic());
  result.wrong = wrong_elements(data_, operand_, problem_, communicator_.rank());
  const double us = microseconds_or_late(in_time, (stop - start) / request.mode.repeats);
  result.us = naming([&] { return explaining([&] { return communicator_.max(us); }, state); },
                     [&] { return "after " + what(); });
  return result;
}

}  // namespace arlab::collectives
