// What an allreduce reaches if the roots of its trees have shares of unequal size.
//
// Root r owns a share w(r) of the vector: it is added up along trees into r and sent back along
// trees out of r, at the same time as the others. Each arc divides its capacity between sending
// back, c, and adding up, u, the rest. As much of each must leave a switch as enters it, since
// switches neither add nor copy. Then the trees fit, by Edmonds' theorem, if and only if for every
// set of nodes S that lacks a host
//
//     c(out of S) >= w(hosts in S)   and   u(into S) >= w(hosts in S)
//
// This is a linear program. Of its constraints, one per cut, those are added that a maximum flow
// finds to be violated, until none is. Links of the same speed in both directions need none of
// this: allreduce.hpp has their optimum. Zhao et al., ForestColl, arXiv:2402.06787, for the
// program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/bounds/fraction.hpp"

namespace arlab::simulator {

struct WeightedShares {
  std::vector<double> share{};  ///< of each rank; they add up to 1
  double rate = 0;              ///< bytes of the vector per second, up to rounding by 1e-6
  /// The factor of the time, as in AllreduceBound, if the trees were verified in whole numbers.
  std::optional<Fraction> exact_time{};
  double work = 0;  ///< numbers that the linear programs computed
};

/// Returns the best shares; nothing if they take more than `most_work`, which is less than a
/// second. Needs as much capacity into each switch as out of it.
std::optional<WeightedShares> weighted_shares(const CapacityGraph& graph, double most_work = 3e8);

}  // namespace arlab::simulator
