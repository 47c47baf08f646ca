// Layout: positions of the nodes of a topology in a picture.
//
// Switches are above hosts, grids are grids, all other topologies are circles.
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
  double room = 0;  ///< distance between adjacent nodes; 0: it depends on the level
  /// Returns the distance between `count` nodes side by side.
  static double step(std::size_t count);
};

Drawing draw(const Topology& topology);

/// Returns the bow of a cable relative to its length. Cables that close a line of a grid are bowed.
double bow_of(const Topology& topology, const Link& link);

}  // namespace arlab::simulator
