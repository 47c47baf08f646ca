// Fastest: which algorithm is the fastest one of each cell, with as little simulation as possible.
//
// A cell is all configurations that differ in the algorithm and its segments alone. One that cannot
// end before the best so far is left out, or stopped.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bench/config/config.hpp"
#include "simulator/network.hpp"

namespace arlab::bench {

/// Returns a time that no simulation of the algorithm undercuts, from its closed forms. It is the
/// largest of three: ranks are as busy as the average rank, the root is as busy as its sends, and
/// messages that depend on one another take as long as on an idle network.
Time least_time(const simulator::UniformCosts& costs, const Algorithm& algorithm,
                const Problem& problem, int segments, Bytes element);

class Fastest {
 public:
  struct Outlook {
    double steps = 0;  ///< messages to simulate
    Time least{};      ///< that the configuration takes at least
  };
  using Expect = std::function<Outlook(const Config&)>;

  /// Sorts the configurations of each cell, so that the best time is soon near the final one: those
  /// that take little effort come first, and of these and of the others the most promising ones.
  static void sort(std::vector<Config>& configs, const Expect& expect);

  /// Returns whether the configurations differ in the algorithm and its segments alone.
  static bool in_one_cell(const Config& a, const Config& b);

  struct Best {
    Time time = simulator::kNever;
    std::string algorithm{};
  };
  /// Returns the best of the configuration's cell so far.
  Best& best(const Config& config);

 private:
  using Cell = std::tuple<Rank, Count, int, int, Rank, std::size_t>;
  static Cell cell_of(const Config& config);

  std::map<Cell, Best> best_;
};

}  // namespace arlab::bench
