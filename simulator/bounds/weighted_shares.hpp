// What an allreduce reaches if the roots of its trees have shares of unequal size.
//
// Root r owns a share w(r) of the vector: it is added up along trees into r and sent back along
// trees out of r, at the same time as the others. Each arc divides its capacity between adding up, u,
// and sending back, c. As much of each must leave a switch as enters it, since switches neither add
// nor copy. Then the trees fit, by Edmonds' theorem, if and only if for every set of nodes S that
// lacks a host
//
//     c(out of S) >= w(hosts in S)   and   u(into S) >= w(hosts in S)
//
// This is a linear program. Of its constraints, one per cut, those are added that a maximum flow
// finds to be violated, until none is. A host behind a slow link gets no share, so that the vector
// crosses that link once each way. Zhao et al., ForestColl, arXiv:2402.06787, for the program.
#pragma once

#include <optional>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"

namespace arlab::simulator {

struct WeightedShares {
  std::vector<double> share{};  ///< of each rank; they add up to 1
  double rate = 0;              ///< bytes of the vector per second
};

/// Returns the best shares, up to rounding by 1e-6; nothing if the network is too large to compute
/// them in about a second.
std::optional<WeightedShares> weighted_shares(const CapacityGraph& graph);

}  // namespace arlab::simulator
