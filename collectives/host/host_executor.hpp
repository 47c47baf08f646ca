// HostExecutor: one rank whose vector lies in this process's memory, over any Communicator.
#pragma once

#include <vector>

#include "collectives/executor.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

class HostExecutor final : public Executor {
 public:
  /// The communicator must outlive this. Runs are timed by its clock.
  explicit HostExecutor(Communicator& communicator) : communicator_(communicator) {}

  Communicator& control() override { return communicator_; }
  Cost execute(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
               Operand operand, int segments = 1, int first_lane = 0) override;
  std::string native_name() const override { return communicator_.native_name(); }
  std::string native_name_for(const Problem& problem) const override {
    return communicator_.native_name_for(problem);
  }
  void native_allreduce(std::span<std::byte> data, Operand operand) override;
  std::vector<std::string> native_algorithms() override {
    return communicator_.native_algorithms();
  }
  void load_input(const Problem& problem, Operand operand) override;
  /// Out of place, an algorithm runs on a copy of the input, which is part of its time; the library
  /// reads the input itself.
  CheckedRun run_checked(const RunRequest& request) override;

 private:
  /// Makes the vector ready for a run, which must then write every element that is checked.
  void prepare(const RunMode& mode);
  Cost run_once(const RunRequest& request);

  Communicator& communicator_;
  Problem problem_;
  Operand operand_;
  std::string native_;  // what the library was made to run
  std::vector<std::byte> input_, data_;
  std::vector<ElementRange> held_;  // what this rank contributes
};

}  // namespace arlab::collectives
