// Fastest: which algorithm is the fastest one of each cell, with as little simulation as possible.
//
// A cell is all configurations that differ in the algorithm and its segments alone. Those that take
// the fewest steps to simulate are tried first. One that cannot end before the best so far is left
// out, or stopped.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bench/cli/options.hpp"
#include "simulator/network.hpp"

namespace arlab::bench {

/// Returns a time that no simulation of the algorithm undercuts, from its closed forms. It is the
/// largest of three: ranks are as busy as the average rank, the root is as busy as its sends, and
/// messages that depend on one another take as long as on an idle network.
Time least_time(const simulator::UniformCosts& costs, const Algorithm& algorithm,
                const Problem& problem, int segments, Bytes element);

class Fastest {
 public:
  /// Returns the number of messages to simulate.
  using Effort = std::function<double(const Config&)>;

  /// Sorts the configurations of each cell by their effort; equal ones keep their order.
  static void sort(std::vector<Config>& configs, const Effort& effort);

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
