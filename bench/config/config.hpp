// Config: one configuration of a sweep, and the layout of its ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"
#include "collectives/reduce/dtype.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::bench {

/// What is known about where ranks are; null: nothing.
struct RankLayout {
  std::shared_ptr<const Groups> groups;
  std::shared_ptr<const RankGrid> grid;
  std::shared_ptr<const Forest> forest;
  SwitchSums switches{};  ///< what the network adds
  Rank nics = 1;          ///< of each group
  std::string rates{};    ///< of the ranks' ports, "2x1x2"; empty: equal, or not known

  /// Returns the problem on ranks that lie so; it points to what this holds.
  Problem on(Problem problem) const {
    problem.groups = groups.get();
    problem.grid = grid.get();
    problem.forest = forest.get();
    problem.switches = switches;
    return problem;
  }
};

/// One configuration of a sweep.
struct Config {
  const Algorithm* algorithm = nullptr;  ///< null: the backend's own collective
  Problem problem;
  collectives::Operand operand;
  int segments = 1;
  std::size_t network = 0;      ///< index into the networks of the sweep
  RankLayout layout{};          ///< that `problem` points to
  collectives::RunMode mode{};  ///< of real runs
  /// Without an algorithm: which one of the library's own (Baseline::use()); empty: the
  /// library decides; "all" becomes a configuration for each.
  std::string native{};
  bool by_table = false;  ///< a tuning table chose it

  Bytes element_size() const { return static_cast<Bytes>(collectives::size_of(operand.dtype)); }
  Bytes bytes() const { return problem.elements * element_size(); }  ///< of the vector
};

}  // namespace arlab::bench
