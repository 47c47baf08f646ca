// TreeShape: node numbers, parents and children of general fat trees.
//
// Hosts are level 0. A node's position within its level is a mixed-radix number, lowest digit
// first. Digit i has radix up[i] below the node's level and radix down[i] from that level on. Two
// nodes of adjacent levels are connected if they differ only in the digit between the levels.
// Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
// trees, 2010.
#pragma once

#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class TreeShape {
 public:
  /// Throws Error(usage) that names `spec` unless the three lists have equal length.
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
  /// Returns the digit that distinguishes `host`, or its ancestors, from its siblings below
  /// `level`.
  std::int32_t branch(int level, Rank host) const;
  bool below(int level, Count position, Rank host) const;

 private:
  Tree tree_;
  std::vector<Count> ups_, downs_;  // products of up and down below each level
  std::vector<Count> width_, first_;
};

/// The names of the switches of a level: this word and their position.
struct TreeLevel {
  std::string switches;
  Wire wire;  ///< of its cables to the level below
};

/// Builds a fat tree. levels[0] are the switches next to the hosts. `adding`: all switches add.
Topology make_tree(const std::string& spec, const Tree& tree, const std::vector<TreeLevel>& levels,
                   bool adding = false);

}  // namespace arlab::simulator
