// CheckedRunner: how a benchmark runs collectives: on verifiable input, timed, with every result
// checked.
#pragma once

#include <map>
#include <string>

#include "collectives/executor.hpp"

namespace arlab::collectives {

/// All executors of a run have one each, and call the same functions together.
class CheckedRunner {
 public:
  explicit CheckedRunner(Executor& executor)
      : executor_(executor), control_(executor.control()), work_(executor.workload()) {}

  /// Prepares the verifiable input of the runs to come, and forgets the last one.
  void load_input(const Problem& problem, Operand operand);
  /// Copies the input into place, waits for all ranks, runs the collective, and checks every
  /// element that it defines. Runs back to back are checked by the result of the last; in place,
  /// where each changes the input of the next, by one more run. Needs load_input().
  CheckedRun run(const RunRequest& request);

  /// The algorithm that the library reports for the runs of its allreduce by `native`, which is
  /// empty for its own choice; empty if unknown, and on all ranks but the first.
  std::string choice(const std::string& native) const;

 private:
  void choose(const RunRequest& request);
  void note_choice(const std::string& native);
  std::string description_of(const RunRequest& request);
  template <class Meet>
  auto meeting(const char* when, const RunRequest& request, Meet meet);

  Executor& executor_;
  Communicator& control_;
  Workload& work_;
  Problem problem_;
  Operand operand_;
  std::map<std::string, std::string> choices_;  // by RunRequest::native
};

}  // namespace arlab::collectives
