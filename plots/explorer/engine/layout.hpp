// Layout: what an algorithm must know of the ranks beyond their number, for the page.
#pragma once

#include <memory>
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::explorer {

/// Ranks for which the page computes trees; more take seconds.
constexpr Rank kMaxTreeRanks = 16;

struct Layout {
  std::shared_ptr<const Groups> groups{};
  std::shared_ptr<const RankGrid> grid{};
  std::shared_ptr<const Forest> forest{};
  SwitchSums switches{};
  std::string text{};  ///< "groups of 4, 4", or empty

  Problem on(Problem problem) const {
    problem.groups = groups.get();
    problem.grid = grid.get();
    problem.forest = forest.get();
    problem.switches = switches;
    return problem;
  }
};

/// Returns what the algorithm needs: of the topology, if it has groups or is a grid; otherwise
/// nodes of up to 4 ranks, the grid that is nearest to a square, or the trees of a crossbar. Throws
/// Error(usage) for more ranks than trees are computed for.
Layout layout_of(const Algorithm& algorithm, Rank ranks, const simulator::FabricSpec& fabric);

/// Returns what the algorithm needs in words; empty if it runs on any number of ranks.
std::string needs_of(const Algorithm& algorithm);

}  // namespace arlab::explorer
