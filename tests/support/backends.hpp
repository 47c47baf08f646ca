// conformance of a backend: every algorithm gives the expected result at the claimed cost, on the
// executor's own input and on the caller's data; so does the native allreduce.
#pragma once

#include <string>
#include <vector>

#include "collectives/backends/backend.hpp"
#include "collectives/backends/gloo.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/failure.hpp"

namespace arlab::collectives::conformance {

/// Fills the vectors of this executor's ranks, runs, and counts wrong elements of all ranks.
template <class Run>
Count wrong_after(Executor& executor, const Problem& problem, Operand operand, Run run) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  const auto here = static_cast<std::size_t>(executor.ranks_here());
  std::vector<std::byte> data(here * bytes);
  const auto for_each_rank = [&](auto use) {
    for (std::size_t i = 0; i < here; ++i)
      use(std::span(data).subspan(i * bytes, bytes),
          executor.control().rank() + static_cast<Rank>(i));
  };
  for_each_rank(
      [&](std::span<std::byte> vector, Rank rank) { fill(vector, operand, problem, rank); });
  run(std::span(data));
  Count wrong = 0;
  for_each_rank([&](std::span<std::byte> vector, Rank rank) {
    wrong += wrong_elements(vector, operand, problem, rank);
  });
  return executor.control().sum(wrong);
}

inline Cost sum_over_all(Executor& executor, const Cost& sent) {
  Communicator& control = executor.control();
  return {control.sum(sent.messages), control.sum(sent.elements),
          static_cast<Count>(control.max(static_cast<double>(sent.rounds)))};
}

/// Lists what is wrong, on rank 0; empty if nothing is. Every executor of a run calls it.
inline std::string problems_of(Executor& executor, Rank ranks) {
  const Operand operand{DType::float32, Op::sum};
  CheckedRunner runner(executor);
  std::string text;
  for_all_problems(
      ranks, std::vector<Count>{0, 3, 1009}, ranks - 1,
      [&](const Algorithm& algorithm, const Problem& problem, int segments) {
        Cost claim = predicted_cost(algorithm, problem, segments);
        claim.rounds = most_rounds(algorithm, problem, segments);
        runner.load_input(problem, operand);
        const auto run = runner.run({.algorithm = &algorithm, .segments = segments});
        Cost sent;
        const Count wrong = wrong_after(executor, problem, operand, [&](std::span<std::byte> data) {
          sent = executor.execute(algorithm, problem, data, operand, segments);
        });
        if (executor.control().sum(run.wrong) != 0 || wrong != 0)
          text += "\nwrong: " + text_of(algorithm, problem, operand, segments);
        if (sum_over_all(executor, run.sent) != claim || sum_over_all(executor, sent) != claim)
          text += "\ncost: " + text_of(algorithm, problem, operand, segments);
        if (executor.control().max(run.us < 0 ? 1 : 0) != 0) text += "\nno time";
      });
  if (executor.baseline().name_of_allreduce().empty()) return text;
  const Problem problem{.ranks = ranks, .elements = 1009};
  runner.load_input(problem, operand);
  const Count wrong = wrong_after(executor, problem, operand, [&](std::span<std::byte> data) {
    executor.native_allreduce(data, operand);
  });
  if (wrong != 0) text += "\nwrong: " + executor.baseline().name_of_allreduce();
  for (const Collective collective : kCollectives)
    for (const Count elements : {Count{1009}, Count{24} * ranks}) {
      const Problem task{
          .collective = collective, .ranks = ranks, .elements = elements, .root = ranks - 1};
      if (executor.baseline().name_of(task).empty()) continue;
      runner.load_input(task, operand);
      if (executor.control().sum(runner.run({}).wrong) != 0)
        text += "\nwrong: " + executor.baseline().name_of(task);
    }
  return text;
}

/// Lists the rows of Gloo that are wrong on ranks with vectors in host memory, or what is wrong
/// with the reason why there are none.
inline std::string problems_of_gloo(const Backend& backend, Job& job, Rank ranks) {
  std::string text;
  backend.run(job, {.ranks = ranks}, [&](Executor& executor) {
    std::string mine;
    if (const std::string why = why_no_gloo(); !why.empty()) {
      if (failure([&] { executor.other_baseline(); }) != "3: " + why)
        mine = "another reason: " + why;
    } else {
      CheckedRunner runner(executor);
      runner.load_input({.ranks = ranks, .elements = 1009}, {DType::float32, Op::sum});
      for (const std::string& row : executor.other_baseline().algorithms()) {
        const CheckedRun run = runner.run({.native = row});
        if (executor.control().sum(run.wrong) != 0) mine += "\nwrong: " + row;
      }
    }
    if (executor.control().rank() == 0) text = std::move(mine);
  });
  return text;
}

/// Lists what is wrong in a whole backend.
inline std::string problems_of(const Backend& backend, Job& job, Rank ranks) {
  std::string text;
  backend.run(job, {.ranks = ranks}, [&](Executor& executor) {
    std::string mine = problems_of(executor, ranks);
    if (executor.control().rank() == 0) text = std::move(mine);
  });
  return text;
}

}  // namespace arlab::collectives::conformance
