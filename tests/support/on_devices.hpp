// on_devices: runs a collective on virtual ranks, and says how many elements came out wrong.
#pragma once

#include <string>
#include <vector>

#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/conformance.hpp"

namespace arlab::collectives::conformance {

inline std::size_t bytes_of(const Problem& problem, Operand operand) {
  return static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
}

/// The ranks' vectors on their devices, and on the host.
class Vectors {
 public:
  Vectors(ColocatedExecutor& on, const Problem& problem, Operand operand)
      : on_(on), problem_(problem), operand_(operand) {
    for (Rank rank = 0; rank < on.ranks(); ++rank) {
      device_.push_back(on.device_of(rank).allocate(bytes_of(problem, operand)));
      host_.push_back(on.device_of(rank).allocate(bytes_of(problem, operand), MemoryKind::pinned));
      data_.push_back(device_.back().data());
    }
  }
  std::span<std::byte* const> data() const { return data_; }

  void fill() {
    for (Rank rank = 0; rank < on_.ranks(); ++rank) {
      arlab::collectives::fill(host(rank), operand_, problem_, rank);
      on_.stream(rank).copy(data_[at(rank)], host(rank).data(), host(rank).size());
    }
  }
  Count wrong() {
    for (Rank rank = 0; rank < on_.ranks(); ++rank)
      on_.stream(rank).copy(host(rank).data(), data_[at(rank)], host(rank).size());
    on_.synchronize();
    Count wrong = 0;
    for (Rank rank = 0; rank < on_.ranks(); ++rank)
      wrong += wrong_elements(host(rank), operand_, problem_, rank);
    return wrong;
  }

 private:
  static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }
  std::span<std::byte> host(Rank rank) {
    return {host_[at(rank)].data(), bytes_of(problem_, operand_)};
  }

  ColocatedExecutor& on_;
  Problem problem_;
  Operand operand_;
  std::vector<DeviceMemory> device_, host_;
  std::vector<std::byte*> data_;
};

/// Runs it `runs` times, from the input each time.
inline Verdict run(ColocatedExecutor& on, const Algorithm& algorithm, const Problem& problem,
                   Operand operand, int segments, bool as_graph, int runs = 1) {
  Vectors vectors(on, problem, operand);
  auto prepared = on.prepare(algorithm, problem, vectors.data(), operand, segments, as_graph);
  Verdict verdict;
  for (int k = 0; k < runs; ++k) {
    vectors.fill();
    on.run(prepared);
    verdict.wrong_elements += vectors.wrong();
  }
  Count elements = 0,
        claimed = 0;  // of all ranks: chunks begin at 64 bytes, so each may send others
  for (Rank rank = 0; rank < on.ranks(); ++rank) {
    const Cost sent = prepared.sent(rank);
    const Cost claim = predicted_rank_cost(algorithm, problem, rank, segments);
    elements += sent.elements;
    claimed += claim.elements;
    verdict.ranks_off_their_claim +=
        sent.messages == claim.messages && sent.rounds == claim.rounds ? 0 : 1;
  }
  verdict.ranks_off_their_claim += elements == claimed ? 0 : 1;
  return verdict;
}

}  // namespace arlab::collectives::conformance
