// A bound on the time of an allreduce on a network, exact, and proved for every program of rounds.
//
// Cut the hosts into k >= 2 groups, and consider one element of the vector. A message between two
// groups carries one value of it. Such messages are the one-way calls of a gossip among k persons
// (within a group all is known at once), and a gossip needs at least 2(k-1) calls: the first person
// who knows everything has been called along at least k-1 calls, one for the news of each other
// person, and each of the other k-1 persons needs one more call to know everything (Harary &
// Schwenk, The communication problem on graphs and digraphs, J. Franklin Institute 297(6), 1974).
// So with M bytes, 2(k-1) M bytes enter groups from other groups. What enters a group A crosses
// every cut between A and the other hosts, so it flows at most at the rate f(A) of a maximum flow
// from the other hosts into A:
//
//     time >= 2(k-1) M / (f(A1) + ... + f(Ak))
//
// In the same way with flows out of the groups. And everything outside a group must learn its
// contribution: M bytes leave it, and M bytes enter it: time >= M / f(A). Both hold for any links,
// of equal speed or not. It assumes that messages carry elements or their sums, and, unless said
// otherwise, that switches neither add nor copy.
//
// Where switches add and copy (in-network reduction), one value of an element that enters a group
// can be the sum for all of them, and serve all its hosts. Then only the second bound holds:
// time >= M / f(A). The first one still holds for groups between which no switch adds: a message
// from one to another carries one value, whatever switches inside a group add.
//
// With one group per host on a full-duplex crossbar this is the well-known 2(n-1)/n M/b.
//
// If every link has the same speed in both directions, the best partition is reached, with
// switches or without, by trees that carry sums up and results down. Without switches these are
// the disjoint trees of Tutte and Nash-Williams (1961). In general, let c(a) be what results use
// of arc a; sums use c of the arc in the other direction, so that both fill each link. By
// weighted_shares.hpp, the rate W is reached with shares w of any kind if c enters and leaves each
// switch alike, and c(into X) is at least W - w(X) for all sets of nodes X that have hosts. To
// choose c is to orient the links, which works for given sums x(v) = c(into v) if and only if x(X)
// is at least i(X), the capacity inside X, and equal to it for all nodes (Hakimi 1965). Let d(v)
// be the capacity at v, in one direction. A switch has x = d/2. A host has x = d/2 - w + z. With
// i(X) = (d(X) - d(out of X))/2, all conditions are: z(A) >= W - f(A)/2 for all groups of hosts A,
// and z(all) = W. The right side is supermodular where groups intersect, so such a z exists if and
// only if no partition has a sum of right sides above W (Frank 1978), that is, 2(k-1) W <= f(A1) +
// ... + f(Ak).
#pragma once

#include <optional>
#include <vector>

#include "simulator/bounds/capacity_graph.hpp"
#include "simulator/bounds/fraction.hpp"
#include "simulator/bounds/symmetry.hpp"

namespace arlab::simulator {

enum class Crossing {
  into,       ///< 2(k-1) M bytes flow into groups
  out_of,     ///< 2(k-1) M bytes flow out of groups
  into_one,   ///< M bytes flow into one group
  out_of_one  ///< M bytes flow out of one group
};

/// A proved bound: an allreduce of M bytes takes at least M x time / (unit of the graph).
struct AllreduceBound {
  Fraction time{};
  Crossing crossing = Crossing::into;
  std::vector<std::vector<NodeId>> groups{};  ///< of hosts; for one group only that one
  std::int64_t flows = 0;  ///< maximum flows that the search of all partitions took
};

/// Returns the tightest bound among one group per host, `groups` (if any), the images of `cut`
/// under the symmetries (if they cut the hosts), and single groups of these. `cut` is a set of
/// nodes, such as that of tightest_cut().
AllreduceBound allreduce_bound(const CapacityGraph& graph, const Symmetry& symmetry,
                               const std::vector<bool>& cut,
                               const std::vector<std::vector<NodeId>>& groups);

/// Returns the tightest bound of all partitions and all single groups. Takes some n maximum flows a
/// step, a few steps. `from` is a bound to begin with. If the graph is symmetric, it is the
/// optimum.
AllreduceBound tightest_allreduce_bound(const CapacityGraph& graph, AllreduceBound from);

/// Returns the tightest bound where switches add: of single hosts, of the sides of `cut`, of
/// `groups` (or none) between which no switch adds, and with `search` of all single groups, by
/// 2(n-1) maximum flows.
AllreduceBound adding_allreduce_bound(const CapacityGraph& graph, const Symmetry& symmetry,
                                      const std::vector<bool>& cut,
                                      const std::vector<std::vector<NodeId>>& groups, bool search);

}  // namespace arlab::simulator
