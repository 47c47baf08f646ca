// conformance: runs the catalog over a communicator, and counts what differs from the claims and
// from the pattern. Every rank calls it and gets the same answer, so that no rank waits in vain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/host/execute.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

namespace arlab::collectives::conformance {

struct Verdict {
  Count wrong_elements = 0;
  Count ranks_off_their_claim = 0;
  bool operator==(const Verdict&) const = default;
};
inline constexpr Verdict kGood{};

inline Verdict run(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                   Operand operand, int segments) {
  std::vector<std::byte> data(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  const Rank me = communicator.rank();
  fill(data, operand, problem, me);
  const Cost cost = execute(communicator, algorithm, problem, data, operand, segments);
  const bool as_claimed = cost == predicted_rank_cost(algorithm, problem, me, segments);
  return {communicator.sum(wrong_elements(data, operand, problem, me)),
          communicator.sum(as_claimed ? 0 : 1)};
}

inline Verdict run_native(Communicator& communicator, const Problem& problem, Operand operand) {
  std::vector<std::byte> data(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  fill(data, operand, problem, communicator.rank());
  communicator.baseline().run(problem, data.data(), data.data(), operand);
  return {communicator.sum(wrong_elements(data, operand, problem, communicator.rank())), 0};
}

inline std::string text_of(const Algorithm& algorithm, const Problem& problem, Operand operand,
                           int segments) {
  return std::string(algorithm.name) + " " + std::string(name(problem.collective)) + " of " +
         std::to_string(problem.elements) + " " + std::string(name(operand.dtype)) + " " +
         std::string(name(operand.op)) + " on " + std::to_string(problem.ranks) + " ranks, root " +
         std::to_string(problem.root) + ", segments " + std::to_string(segments);
}

/// Calls `use` with every algorithm and each of its collectives that it supports on these ranks.
inline void for_all_problems(Rank ranks, Count elements, Rank root,
                             const std::function<void(const Algorithm&, const Problem&)>& use) {
  for (const Algorithm& algorithm : algorithms())
    for (const Collective collective : algorithm.collectives) {
      const Problem problem =
          grouped(algorithm,
                  {.collective = collective, .ranks = ranks, .elements = elements, .root = root});
      if (unsupported(algorithm, problem).empty()) use(algorithm, problem);
    }
}

/// The same with each of `lengths`, whole, and in 3 segments where the collective may be cut (see
/// lanes_of).
inline void for_all_problems(
    Rank ranks, std::span<const Count> lengths, Rank root,
    const std::function<void(const Algorithm&, const Problem&, int segments)>& use) {
  for (const Count elements : lengths)
    for_all_problems(ranks, elements, root,
                     [&](const Algorithm& algorithm, const Problem& problem) {
                       use(algorithm, problem, 1);
                       if (problem.collective != Collective::reduce_scatter &&
                           problem.collective != Collective::all_gather)
                         use(algorithm, problem, 3);
                     });
}

/// Lengths around the number of ranks, none, and one that no number of ranks divides.
inline std::vector<Count> odd_lengths(Rank ranks) {
  return thorough<Count>({0, 3, ranks - 1, 1009}, {1009});
}

/// Whole vectors, contiguous chunks, chunks with a stride: enough to try a type or an operation,
/// which only matters where a message is added.
inline std::vector<Algorithm> each_kind_of_message() {
  return {find_algorithm("butterfly"), find_algorithm("ring"), find_algorithm("pat")};
}

/// Returns this rank's sums by the algorithm, of values whose sum depends on the order of adding.
inline std::vector<float> rounded_sums(Communicator& communicator, const char* algorithm,
                                       Count elements) {
  std::vector<float> data(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 1.0F / static_cast<float>(1 + i + 17 * static_cast<std::size_t>(communicator.rank()));
  execute(communicator, find_algorithm(algorithm),
          {.ranks = communicator.ranks(), .elements = elements},
          std::as_writable_bytes(std::span(data)), {DType::float32, Op::sum});
  return data;
}

}  // namespace arlab::collectives::conformance
