// Fat trees in their general form: which node is where, and who is above and below whom.
//
// Hosts are level 0. A node's position within its level is a number in mixed radix, lowest digit
// first; digit i counts to up[i] below the node's level and to down[i] from it on. Two nodes of
// neighbouring levels are joined when they differ in the digit between them alone. Zahavi, D-Mod-K
// routing providing non-blocking traffic for shift permutations on real life fat trees, 2010.
#pragma once

#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class TreeShape {
 public:
  /// Throws Error(usage) naming `spec` unless the three lists are of one length.
  TreeShape(const Tree& tree, const std::string& spec);

  int levels() const { return static_cast<int>(tree_.down.size()); }  ///< above the hosts
  const Tree& tree() const { return tree_; }
  Count width(int level) const { return width_[index(level)]; }  ///< nodes of a level
  double links() const;

  NodeId node(int level, Count position) const {
    return static_cast<NodeId>(first_[index(level)] + position);
  }
  Count parent(int level, Count position, std::int32_t which) const;
  Count child(int level, Count position, std::int32_t which) const;
  /// The digit by which `host`, or its ancestors, differs from its siblings below `level`.
  std::int32_t branch(int level, Rank host) const;
  bool below(int level, Count position, Rank host) const;

 private:
  Tree tree_;
  std::vector<Count> ups_, downs_;  // products of up and down below each level
  std::vector<Count> width_, first_;
};

/// How the switches of a level are called: this word and their position.
struct TreeLevel {
  std::string switches;
  Wire wire;  ///< of its cables to the level below
};

/// levels[0] are the switches next to the hosts.
Topology make_tree(const std::string& spec, const Tree& tree, const std::vector<TreeLevel>& levels);

}  // namespace arlab::simulator
