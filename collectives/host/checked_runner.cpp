#include "collectives/host/checked_runner.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/host/start_line.hpp"
#include "collectives/patience.hpp"
#include "collectives/schedule/stalled_state.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::collectives {

void CheckedRunner::load_input(const Problem& problem, Operand operand) {
  problem_ = problem;
  operand_ = operand;
  choices_.clear();
  work_.load(problem, operand);
}

void CheckedRunner::choose(const RunRequest& request) {
  if (executor_.traits().together && (request.delay > 0 || request.lead > 0))
    fail(Blame::usage, "co-located ranks start together: none can be late, and none waits");
  if (!request.algorithm) {
    Baseline& library = executor_.baseline_of(request.native);
    if (library.name_of(problem_).empty())
      fail(Blame::usage, concat("this backend has no native ", name(problem_.collective),
                                ": choose an algorithm"));
    library.use(request.native);
  }
}

std::string CheckedRunner::description_of(const RunRequest& request) {
  if (request.algorithm) return description(*request.algorithm, problem_, operand_);
  Baseline& library = executor_.baseline_of(request.native);
  return request.native.empty() ? library.name_of(problem_) : library.label(request.native);
}

template <class Meet>
auto CheckedRunner::meeting(const char* when, const RunRequest& request, Meet meet) {
  return naming(
      [&] { return explaining(meet, [&] { return stalled_between(control_.places()); }); },
      [&] { return when + description_of(request); });
}

CheckedRun CheckedRunner::run(const RunRequest& request) {
  const RunMode& mode = request.mode;
  choose(request);
  work_.reset(request);
  const bool in_time =
      meeting("before ", request, [&] { return wait_for_start(control_, request); });
  const double enter = control_.clock().now();
  const double seconds = work_.run(request, mode.repeats);
  if (mode.in_place && mode.repeats > 1) {  // each has changed the input of the next
    work_.reset(request);
    control_.barrier();
    work_.run(request, 1);
  }
  const Workload::Result found = work_.check();
  if (!request.algorithm) note_choice(request.native);
  CheckedRun result{.wrong = found.wrong, .sent = found.sent, .traffic = found.traffic};
  if (!executor_.traits().together)
    result.interval = {request.clock.global(enter), request.clock.global(enter + seconds)};
  const double us = microseconds_or_late(in_time, seconds / mode.repeats);
  result.us = meeting("after ", request, [&] { return control_.max(us); });
  return result;
}

// Once: later runs of other choices have the same size, too.
void CheckedRunner::note_choice(const std::string& native) {
  if (control_.rank() != 0 || problem_.collective != Collective::allreduce) return;
  if (const auto [choice, added] = choices_.try_emplace(native); added)
    choice->second = executor_.baseline_of(native).choice(
        problem_.elements * static_cast<Count>(size_of(operand_.dtype)));
}

std::string CheckedRunner::choice(const std::string& native) const {
  const auto known = choices_.find(native);
  return known == choices_.end() ? "" : known->second;
}

}  // namespace arlab::collectives
