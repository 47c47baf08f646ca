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

// Dimensions take turns to go right and down; later ones in larger steps.
Drawing as_grid(const Topology& topology, const Grid& grid) {
  Drawing drawing;
  std::array<double, 2> extent{1, 1};
  std::vector<double> stride;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    stride.push_back(extent[d % 2] * (d < 2 ? 1 : 1.15));
    extent[d % 2] = stride[d] * grid.dims[d];
  }
  const double unit = (kWidth - 2 * kMargin) / std::max(extent[0], extent[1]);
  for (Rank h = 0; h < topology.hosts(); ++h) {
    std::array<double, 2> at{0, 0};
    Rank rest = h;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      at[d % 2] += stride[d] * (rest % grid.dims[d]);
      rest /= grid.dims[d];
    }
    // A little aside each row, so that cables along it and around it can be told apart.
    drawing.at.push_back({kMargin + unit * (at[0] + 0.5), kMargin + unit * (at[1] + 0.5)});
  }
  drawing.height = 2 * kMargin + unit * extent[1];
  return drawing;
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

// One line for both directions of a cable; cables round the ends of a grid are arcs.
std::string cables(const Topology& topology, const Drawing& drawing) {
  double fastest = 0;
  for (const Link& link : topology.links()) fastest = std::max(fastest, link.bandwidth);
  const bool grid = std::holds_alternative<Grid>(topology.structure());
  std::set<std::pair<NodeId, NodeId>> drawn;
  std::string text;
  for (const Link& link : topology.links()) {
    if (!drawn.insert(std::minmax(link.from, link.to)).second) continue;
    const Point a = drawing.at[static_cast<std::size_t>(link.from)],
                b = drawing.at[static_cast<std::size_t>(link.to)];
    const double width = 0.6 + 2.4 * std::sqrt(link.bandwidth / fastest);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double bow = grid ? 0.12 * std::sqrt(length) : 0;
    const Point middle{(a.x + b.x) / 2 - (b.y - a.y) / std::max(length, 1.) * bow * 4,
                       (a.y + b.y) / 2 + (b.x - a.x) / std::max(length, 1.) * bow * 4};
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
    const double room = step(of_level[node.level]);
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
