// Layout: where the nodes of a topology lie in a picture.
//
// Switches above hosts where there are switches, grids as grids, all else on a circle.
#pragma once

#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

struct Point {
  double x = 0, y = 0;
};

struct Drawing {
  static constexpr double kWidth = 1200, kMargin = 60;
  std::vector<Point> at;  ///< by node
  double height = 0;
  double room = 0;  ///< of a node to the next, where it is the same for all; else by level
  /// Of so many nodes side by side.
  static double step(std::size_t count);
};

Drawing draw(const Topology& topology);

/// How far aside a cable bows, in parts of its length: those that close a line of a grid do.
double bow_of(const Topology& topology, const Link& link);

}  // namespace arlab::simulator
