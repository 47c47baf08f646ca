// HostExecutor: one rank whose vector lies in this process's memory, over any Communicator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/executor.hpp"
#include "collectives/host/other_library.hpp"
#include "collectives/host/plan.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

class HostExecutor final : public Executor {
 public:
  /// The communicator must outlive this. Runs are timed by its clock. `connect`: to the library of
  /// other_algorithms(), when its rows are first asked for.
  explicit HostExecutor(Communicator& communicator, ConnectLibrary connect = {})
      : communicator_(communicator), connect_(std::move(connect)) {}

  Communicator& control() override { return communicator_; }
  Cost execute(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
               Operand operand, int segments = 1, int first_lane = 0) override;
  std::string transport() const override { return communicator_.transport(); }
  std::string native_name() const override { return communicator_.native_name(); }
  std::string native_name_for(const Problem& problem) const override {
    return communicator_.native_name_for(problem);
  }
  void native_allreduce(std::span<std::byte> data, Operand operand) override;
  std::vector<std::string> native_algorithms() override {
    return communicator_.native_algorithms();
  }
  std::vector<std::string> other_algorithms() override;
  std::string native_unsupported(const std::string& spec, Operand operand) override;
  std::string native_label(const std::string& spec) const override;
  void load_input(const Problem& problem, Operand operand) override;
  /// An algorithm runs as a HostPlan, made in its first run after load_input(). Out of place it copies
  /// what it has to.
  CheckedRun run_checked(const RunRequest& request) override;

 private:
  /// Makes the vector ready for a run, which must then write every element that is checked.
  void prepare(const RunMode& mode);
  /// `plan`: of the request, or null.
  Cost run_once(const RunRequest& request, HostPlan* plan);
  HostPlan* plan_of(const RunRequest& request);
  /// The other library's algorithm that a row names; null if it names none.
  static const char* other_algorithm(const std::string& spec);
  OtherLibrary& other();

  Communicator& communicator_;
  ConnectLibrary connect_;
  std::optional<OtherLibrary> other_;
  Problem problem_;
  Operand operand_;
  std::string native_;  // what the library was made to run
  std::shared_ptr<std::byte[]> input_memory_, data_memory_;
  std::span<std::byte> input_, data_;
  std::map<std::pair<const Algorithm*, int>, HostPlan> plans_;  // by algorithm and segments
};

}  // namespace arlab::collectives
