// OwnAlgorithm: an algorithm whose rounds come from outside, such as from generators in Python.
//
// The rounds of all ranks are planned at once, when a combination of collective, ranks, and root is
// asked for the first time, and then kept: they depend on no number of elements.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/verify/script.hpp"

namespace arlab::bench {

struct OwnAlgorithm {
  std::string name, label, summary, source;
  std::vector<Collective> collectives{Collective::allreduce};
  Rank chunks_per_rank = 1;
  Formula formula{"counted", "counted", "counted"};  ///< what it points to must outlive this

  /// Returns the rounds of every rank. Calls do not overlap.
  std::function<std::vector<Script::Rounds>(const Problem&)> plan{};
  std::function<Cost(const Problem&)> cost{};  ///< the closed form; empty: it is counted
  std::function<std::string(const Problem&)> unsupported_reason{};        ///< may be empty
  std::function<std::string(const Problem&, Rank, Count round)> place{};  ///< may be empty
};

/// Returns the algorithm. Programs, costs, and reasons throw what these functions throw.
std::shared_ptr<const Algorithm> algorithm_of(OwnAlgorithm own);

}  // namespace arlab::bench
