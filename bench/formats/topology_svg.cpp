#include "bench/formats/topology_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "bench/text/units.hpp"
#include "simulator/topologies/analysis/layout.hpp"

namespace arlab::bench {
namespace {

constexpr std::size_t kMaxNodes = 5000, kMaxLinks = 50'000;
constexpr double kWidth = simulator::Drawing::kWidth, kMargin = simulator::Drawing::kMargin;
// Okabe & Ito's colors, one per tier.
constexpr std::array<std::string_view, 6> kColors{"#0072B2", "#D55E00", "#009E73",
                                                  "#CC79A7", "#E69F00", "#56B4E9"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

std::string color_of(const simulator::Link& link) {
  return std::string(kColors[static_cast<std::size_t>(link.tier) % kColors.size()]);
}

// Draws one line for both directions of a cable. Cables that close a line of a grid are arcs.
std::string cables(const simulator::Topology& topology, const simulator::Drawing& drawing) {
  double fastest = 0;
  for (const simulator::Link& link : topology.links()) fastest = std::max(fastest, link.bandwidth);
  std::set<std::pair<simulator::NodeId, simulator::NodeId>> drawn;
  std::string text;
  for (const simulator::Link& link : topology.links()) {
    if (!drawn.insert(std::minmax(link.from, link.to)).second) continue;
    const simulator::Point a = drawing.at[static_cast<std::size_t>(link.from)],
                           b = drawing.at[static_cast<std::size_t>(link.to)];
    const double width = 0.6 + 2.4 * std::sqrt(link.bandwidth / fastest);
    const double bow = simulator::bow_of(topology, link);
    const simulator::Point middle{(a.x + b.x) / 2 - (b.y - a.y) * bow,
                                  (a.y + b.y) / 2 + (b.x - a.x) * bow};
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:.2f}\"><title>{}</title></path>\n",
        a.x, a.y, middle.x, middle.y, b.x, b.y, color_of(link), width, escaped(link.name));
  }
  return text;
}

std::string nodes(const simulator::Topology& topology, const simulator::Drawing& drawing) {
  std::map<int, std::size_t> of_level;
  for (simulator::NodeId n = 0; n < topology.nodes(); ++n) ++of_level[topology.node(n).level];
  std::string text;
  for (simulator::NodeId n = 0; n < topology.nodes(); ++n) {
    const simulator::Node& node = topology.node(n);
    const simulator::Point at = drawing.at[static_cast<std::size_t>(n)];
    const double room =
        drawing.room > 0 ? drawing.room : simulator::Drawing::step(of_level[node.level]);
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

std::string legend(const simulator::Topology& topology, double y) {
  std::string text;
  double x = kMargin;
  for (std::size_t t = 0; t < topology.tiers().size(); ++t) {
    const auto link = std::find_if(
        topology.links().begin(), topology.links().end(),
        [&](const simulator::Link& l) { return l.tier == static_cast<std::int32_t>(t); });
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

std::string svg_of(const simulator::Topology& topology) {
  if (static_cast<std::size_t>(topology.nodes()) > kMaxNodes || topology.links().size() > kMaxLinks)
    fail(Blame::usage,
         fmt::format(
             "{} has {} nodes and {} links, more than the {} and {} that a picture can show: "
             "use a smaller topology",
             topology.spec(), topology.nodes(), topology.links().size(), kMaxNodes, kMaxLinks));
  const simulator::Drawing drawing = simulator::draw(topology);
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

}  // namespace arlab::bench
