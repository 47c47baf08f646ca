// HostExecutor: one rank whose vector lies in this process's memory, over any Communicator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "collectives/executor.hpp"
#include "collectives/host/plan.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

/// Connects the ranks of `control` by another library, which joins them by itself. They call it
/// together. Throws Error(environment) with a remedy if the library is missing.
using ConnectLibrary = std::function<std::unique_ptr<Baseline>(Communicator& control)>;

class HostExecutor final : public Executor, private Workload {
 public:
  /// The communicator must outlive this. Runs are timed by its clock. `connect`: to the library of
  /// other_baseline(), when its rows are first asked for.
  explicit HostExecutor(Communicator& communicator, ConnectLibrary connect = {})
      : Executor({.control = &communicator,
                  .workload = this,
                  .baseline = &communicator.baseline(),
                  .transport = communicator.transport()}),
        communicator_(communicator),
        connect_(std::move(connect)) {}

  Baseline& other_baseline() override;

 private:
  Cost run_in_place(const Algorithm* algorithm, const Problem& problem, std::span<std::byte> data,
                    Operand operand, int segments, int first_lane) override;

  // Workload. An algorithm runs as a HostPlan, made in its first run after load(). Out of place it
  // copies what it has to.
  void load(const Problem& problem, Operand operand) override;
  void reset(const RunRequest& request) override;
  double run(const RunRequest& request, int repeats) override;
  Result check() override;

  Cost run_once(const RunRequest& request);
  HostPlan* plan_of(const RunRequest& request);

  Communicator& communicator_;
  ConnectLibrary connect_;
  std::unique_ptr<Baseline> other_;
  Problem problem_;
  Operand operand_;
  std::shared_ptr<std::byte[]> input_memory_, data_memory_;
  std::span<std::byte> input_, data_;
  std::map<std::pair<const Algorithm*, int>, HostPlan> plans_;  // by algorithm and segments
  HostPlan* plan_ = nullptr;  // of the prepared request, if it has one
  Cost sent_;                 // in the last run
};

}  // namespace arlab::collectives
