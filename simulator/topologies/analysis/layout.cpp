#include "simulator/topologies/analysis/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace arlab::simulator {
namespace {

constexpr double kWidth = Drawing::kWidth, kMargin = Drawing::kMargin;

// Hosts at the bottom, each level of switches above.
Drawing in_levels(const Topology& topology) {
  std::map<int, std::vector<NodeId>> levels;
  for (NodeId n = 0; n < topology.nodes(); ++n) levels[topology.node(n).level].push_back(n);
  constexpr double kApart = 180;
  Drawing drawing;
  drawing.at.resize(static_cast<std::size_t>(topology.nodes()));
  const auto top = static_cast<double>(levels.rbegin()->first);
  for (const auto& [level, nodes] : levels)
    for (std::size_t i = 0; i < nodes.size(); ++i)
      drawing.at[static_cast<std::size_t>(nodes[i])] = {
          kMargin + (static_cast<double>(i) + 0.5) * Drawing::step(nodes.size()),
          kMargin + (top - level) * kApart};
  drawing.height = 2 * kMargin + top * kApart;
  return drawing;
}

// The first dimension goes right, the second down, the third into the depth. Later dimensions place
// copies alternately to the right and below, slightly shifted so that no cable hides another.
Drawing as_grid(const Topology& topology, const Grid& grid) {
  std::vector<Point> direction{{1, 0}, {0, 1}, {0.38, -0.29}};
  direction.resize(std::max<std::size_t>(grid.dims.size(), 3));
  Point extent;  // of the dimensions so far
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (d >= 3) direction[d] = d % 2 == 1 ? Point{extent.x + 1, 0.17} : Point{0.17, extent.y + 1};
    extent.x += std::abs(direction[d].x) * (grid.dims[d] - 1);
    extent.y += std::abs(direction[d].y) * (grid.dims[d] - 1);
  }
  const double unit = std::min((kWidth - 2 * kMargin) / (extent.x + 0.5), 150.);
  const double above = grid.dims.size() > 2 ? 0.29 * (grid.dims[2] - 1) : 0;  // the third goes up
  Drawing drawing;
  for (Rank h = 0; h < topology.hosts(); ++h) {
    Point at{0.25, above + 0.25};
    Rank rest = h;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      at.x += direction[d].x * (rest % grid.dims[d]);
      at.y += direction[d].y * (rest % grid.dims[d]);
      rest /= grid.dims[d];
    }
    drawing.at.push_back({kMargin + unit * at.x, kMargin + unit * at.y});
  }
  drawing.room = 0.38 * unit;
  drawing.height = 2 * kMargin + unit * (extent.y + 0.5);
  return drawing;
}

// Returns whether a link closes a line of a grid.
bool closes(const Topology& topology, const Link& link) {
  const auto* grid = std::get_if<Grid>(&topology.structure());
  if (!grid) return false;
  NodeId stride = 1;
  for (const std::int32_t size : grid->dims) {
    const std::int32_t from = link.from / stride % size, to = link.to / stride % size;
    if (std::abs(from - to) > 1) return true;
    stride *= size;
  }
  return false;
}

// Hosts on a circle, switches on a smaller circle beside their hosts.
Drawing in_circles(const Topology& topology) {
  Drawing drawing;
  constexpr double kOuter = (kWidth - 2 * kMargin) / 2;
  const double switches = topology.nodes() - topology.hosts();
  for (NodeId n = 0; n < topology.nodes(); ++n) {
    const bool host = topology.is_host(n);
    const double place =
        host ? (n + 0.5) / topology.hosts() : (n - topology.hosts() + 0.5) / switches;
    const double angle = 2 * std::numbers::pi * place - std::numbers::pi / 2;
    const double radius = kOuter * (host ? 1 : 0.75);
    drawing.at.push_back(
        {kWidth / 2 + radius * std::cos(angle), kWidth / 2 + radius * std::sin(angle)});
  }
  drawing.height = kWidth;
  return drawing;
}

}  // namespace

double Drawing::step(std::size_t count) {
  return (kWidth - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(count, 1));
}

Drawing draw(const Topology& topology) {
  const Structure& structure = topology.structure();
  if (const auto* grid = std::get_if<Grid>(&structure); grid && grid->dims.size() > 1)
    return as_grid(topology, *grid);
  const bool levels = topology.nodes() > topology.hosts();
  return levels && !std::holds_alternative<Dragonfly>(structure) ? in_levels(topology)
                                                                 : in_circles(topology);
}

double bow_of(const Topology& topology, const Link& link) {
  return closes(topology, link) ? 0.2 : 0;
}

}  // namespace arlab::simulator
