#include "bench/topology_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "algorithms/error.hpp"
#include "bench/units.hpp"

namespace arlab {
namespace {

constexpr std::size_t kMostNodes = 5000, kMostLinks = 50'000;
constexpr double kWidth = 1200, kMargin = 60;
// Okabe & Ito's colours, for tiers.
constexpr std::array<std::string_view, 6> kColors{"#0072B2", "#D55E00", "#009E73",
                                                  "#CC79A7", "#E69F00", "#56B4E9"};

struct Point {
  double x = 0, y = 0;
};

struct Drawing {
  std::vector<Point> at;  ///< by node
  double height = 0;
  double room = 0;  ///< of a node to the next, where it is the same for all; else by level
};

double step(std::size_t count) {
  return (kWidth - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(count, 1));
}

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
          kMargin + (static_cast<double>(i) + 0.5) * step(nodes.size()),
          kMargin + (top - level) * kApart};
  drawing.height = 2 * kMargin + top * kApart;
  return drawing;
}

// The first dimension goes right, the second down, the third into the depth; later ones put copies
// of all that side by side, alternately to the right and below, a little aside so that no cable
// hides another.
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

// Whether a link closes a line of a grid.
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

// Hosts on a circle; switches on a smaller one, beside their hosts.
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

Drawing layout(const Topology& topology) {
  const Structure& structure = topology.structure();
  if (const auto* grid = std::get_if<Grid>(&structure); grid && grid->dims.size() > 1)
    return as_grid(topology, *grid);
  const bool levels = topology.nodes() > topology.hosts();
  return levels && !std::holds_alternative<Dragonfly>(structure) ? in_levels(topology)
                                                                 : in_circles(topology);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

std::string color_of(const Link& link) {
  return std::string(kColors[static_cast<std::size_t>(link.tier) % kColors.size()]);
}

// One line for both directions of a cable; cables that close a line of a grid are arcs.
std::string cables(const Topology& topology, const Drawing& drawing) {
  double fastest = 0;
  for (const Link& link : topology.links()) fastest = std::max(fastest, link.bandwidth);
  std::set<std::pair<NodeId, NodeId>> drawn;
  std::string text;
  for (const Link& link : topology.links()) {
    if (!drawn.insert(std::minmax(link.from, link.to)).second) continue;
    const Point a = drawing.at[static_cast<std::size_t>(link.from)],
                b = drawing.at[static_cast<std::size_t>(link.to)];
    const double width = 0.6 + 2.4 * std::sqrt(link.bandwidth / fastest);
    const double bow = closes(topology, link) ? 0.2 : 0;  // of the length, aside
    const Point middle{(a.x + b.x) / 2 - (b.y - a.y) * bow, (a.y + b.y) / 2 + (b.x - a.x) * bow};
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:.2f}\"><title>{}</title></path>\n",
        a.x, a.y, middle.x, middle.y, b.x, b.y, color_of(link), width, escaped(link.name));
  }
  return text;
}

std::string nodes(const Topology& topology, const Drawing& drawing) {
  std::map<int, std::size_t> of_level;
  for (NodeId n = 0; n < topology.nodes(); ++n) ++of_level[topology.node(n).level];
  std::string text;
  for (NodeId n = 0; n < topology.nodes(); ++n) {
    const Node& node = topology.node(n);
    const Point at = drawing.at[static_cast<std::size_t>(n)];
    const double room = drawing.room > 0 ? drawing.room : step(of_level[node.level]);
    const double r = std::clamp(room * 0.3, 1.5, topology.is_host(n) ? 7. : 10.);
    text += topology.is_host(n)
                ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", at.x, at.y, r)
                : fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                              at.x - r, at.y - r, 2 * r, 2 * r);
    const std::string name = escaped(node.name);
    text += fmt::format(" class=\"{}\"><title>{}</title></{}>\n",
                        topology.is_host(n) ? "host" : "switch", name,
                        topology.is_host(n) ? "circle" : "rect");
    if (room > 6. * static_cast<double>(node.name.size()) + 4)
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at.x, at.y + r + 13, name);
  }
  return text;
}

std::string legend(const Topology& topology, double y) {
  std::string text;
  double x = kMargin;
  for (std::size_t t = 0; t < topology.tiers().size(); ++t) {
    const auto link =
        std::find_if(topology.links().begin(), topology.links().end(),
                     [&](const Link& l) { return l.tier == static_cast<std::int32_t>(t); });
    if (link == topology.links().end()) continue;
    const std::string label =
        fmt::format("{}, {}", topology.tiers()[t], show_bandwidth(link->bandwidth));
    text += fmt::format(
        "<path d=\"M{:.0f} {:.0f}h24\" stroke=\"{}\" stroke-width=\"3\"/>\n"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"left\">{}</text>\n",
        x, y, color_of(*link), x + 30, y + 4, escaped(label));
    x += 60 + 7.5 * static_cast<double>(label.size());
  }
  return text;
}

}  // namespace

std::string svg_of(const Topology& topology) {
  if (static_cast<std::size_t>(topology.nodes()) > kMostNodes ||
      topology.links().size() > kMostLinks)
    fail(Blame::usage,
         fmt::format(
             "{} has {} nodes and {} links: a picture of more than {} and {} shows nothing, "
             "use a smaller one",
             topology.spec(), topology.nodes(), topology.links().size(), kMostNodes, kMostLinks));
  const Drawing drawing = layout(topology);
  const double height = drawing.height + 70;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" role=\"img\">\n"
             "<title>{2}</title>\n"
             "<style>path{{fill:none;stroke-opacity:.6}} .host{{fill:#333}} .switch{{fill:#fff;"
             "stroke:#333;stroke-width:1.5}} text{{font:11px sans-serif;text-anchor:middle;"
             "fill:#333}} .left{{text-anchor:start}} .name{{font-size:16px;text-anchor:start}}"
             "</style>\n<rect width=\"{0}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n"
             "<text x=\"{3}\" y=\"24\" class=\"name\">{2}</text>\n"
             "<g transform=\"translate(0 30)\">\n",
             kWidth, height, escaped(topology.spec()), kMargin) +
         cables(topology, drawing) + nodes(topology, drawing) + "</g>\n" +
         legend(topology, height - 20) + "</svg>\n";
}

}  // namespace arlab
