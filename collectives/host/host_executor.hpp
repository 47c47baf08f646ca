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
      : Executor({.transport = communicator.transport()}),
        communicator_(communicator),
        connect_(std::move(connect)) {}

  Communicator& control() override { return communicator_; }
  Cost execute(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
               Operand operand, int segments = 1, int first_lane = 0) override;
  /// An algorithm runs as a HostPlan, made in its first run after load(). Out of place it copies
  /// what it has to.
  Workload& workload() override { return *this; }
  Baseline& baseline() override { return communicator_.baseline(); }
  Baseline& other_baseline() override;

 private:
  // Workload
  void load(const Problem& problem, Operand operand) override;
  void prepare(const RunRequest& request) override;
  void reset(const RunMode& mode) override;
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
