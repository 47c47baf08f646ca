// Fat tree: switches in levels, with as many links up as down, or fewer (oversubscription).
//
// The usual form has k ports per switch: k pods of k/2 edge and k/2 aggregation switches, and k^2/4
// core switches, for k^3/4 hosts. Al-Fares, Loukissas, Vahdat, A scalable, commodity data center
// network architecture, SIGCOMM 2008. With two levels: k leaves, k/2 spines, k^2/2 hosts.
// Oversubscription o leaves each edge switch k/(2 o) up links. For other shapes give down, up and
// count: one number per level from the hosts up, as in SimGrid (Zahavi's PGFT).
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/grid.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/tree.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

struct Shape {
  std::int32_t k, levels, over;
};

Shape make_shape(const Settings& settings) {
  const double over = settings.ratio("oversubscription");
  const Shape shape{settings.count("k"), settings.count("levels"),
                    static_cast<std::int32_t>(std::min(over, 1e6))};
  if (shape.levels != 2 && shape.levels != 3)
    fail(Blame::usage, "fat_tree: levels '" + std::to_string(shape.levels) +
                           "' is neither 2 nor 3: for more, give down, up and count");
  if (shape.over != over || shape.k % (2 * shape.over) != 0)
    fail(Blame::usage, settings.spec() + ": the k/2 up links of an edge switch cannot be divided " +
                           "by the oversubscription: make k a multiple of " +
                           std::to_string(2 * std::max(shape.over, 1)));
  return shape;
}

Count hosts_of(Count k, std::int32_t levels) { return levels == 2 ? k * k / 2 : k * k * k / 4; }

void fit(Settings& settings, Rank hosts) {
  if (settings.given("k") || settings.given("down")) return;
  if (const char* const other = settings.given("up")      ? "up"
                                : settings.given("count") ? "count"
                                                          : nullptr) {
    const auto levels = static_cast<int>(settings.sizes(other).size());
    settings.choose("down", to_string(balanced_dimensions(hosts, levels)));
    return;
  }
  const auto levels = settings.count("levels");
  const double over = std::clamp(settings.ratio("oversubscription"), 1., 1e6);
  const Count step = 2 * static_cast<Count>(over);
  Count k = step;
  while (hosts_of(k, levels) < hosts) k += step;
  settings.choose("k", k);
}

Tree tree_of(const Settings& settings) {
  if (settings.given("down") || settings.given("up") || settings.given("count")) {
    if (settings.given("k") || settings.given("oversubscription") || settings.given("levels"))
      fail(Blame::usage, settings.spec() +
                             ": give k, levels and oversubscription, or down, up and " +
                             "count, not both");
    Tree tree{settings.sizes("down"), settings.sizes("up"), settings.sizes("count")};
    if (!settings.given("up")) tree.up.assign(tree.down.size(), 1);
    if (!settings.given("count")) tree.count.assign(tree.down.size(), 1);
    return tree;
  }
  const auto [k, levels, over] = make_shape(settings);
  if (levels == 2) return {{k / 2, k}, {1, k / 2 / over}, {1, 1}};
  return {{k / 2, k / 2, k}, {1, k / 2 / over, k / 2}, {1, 1, 1}};
}

Topology make(const Settings& settings) {
  const Tree tree = tree_of(settings);
  const double bandwidth = settings.bandwidth("bandwidth");
  const Time latency = settings.time("latency");
  std::vector<TreeLevel> levels;
  if (tree.down.size() == 2)
    levels = {{"leaf", {bandwidth, latency, "host"}},
              {"spine", {bandwidth, latency, "leaf-spine"}}};
  else if (tree.down.size() == 3)
    levels = {{"edge", {bandwidth, latency, "host"}},
              {"aggr", {bandwidth, latency, "edge-aggregation"}},
              {"core", {bandwidth, latency, "aggregation-core"}}};
  else
    for (std::size_t l = 0; l < tree.down.size(); ++l)
      levels.push_back({"s" + std::to_string(l + 1) + ".", {bandwidth, latency, "tree"}});
  return make_tree(settings.spec(), tree, levels, settings.flag("aggregate"));
}

}  // namespace

TopologyKind fat_tree() {
  using Unit = Parameter::Unit;
  return {
      .name = "fat_tree",
      .summary = "levels of equal switches with as many links up as down, or fewer",
      .source = "Al-Fares, Loukissas, Vahdat 2008; Zahavi 2010",
      .parameters =
          {{"k", Unit::count, "4", "ports per switch: k^3/4 hosts (k^2/2 with two levels)"},
           {"levels", Unit::count, "3", "of switches: 2 or 3"},
           {"oversubscription", Unit::ratio, "1", "links down by links up of an edge switch"},
           {"down", Unit::sizes, "4x4", "general form: children of a node, level by level"},
           {"up", Unit::sizes, "1x1", "parents of a node, level by level"},
           {"count", Unit::sizes, "1x1", "parallel cables, level by level"},
           {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
           {"latency", Unit::time, "500ns", "of a link"},
           {"aggregate", Unit::flag, "no", "switches add (in-network reduction)"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
