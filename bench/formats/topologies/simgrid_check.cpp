// Whether the shortest ways of a platform's graph are its routes: for each pair of hosts, the
// number of edges that SimGrid's routing passes is the least, and no other way has as few where a
// table (Full) says which to take. Of a cluster, two hosts stand for all.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "bench/formats/topologies/simgrid_graph.hpp"

namespace arlab::bench::simgrid {
namespace {

constexpr double kMostWork = 3e8;  // edges looked at
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// How many edges a message passes by SimGrid's rules.
class Rules {
 public:
  Rules(const Platform& platform, const NetworkText& text) : platform_(platform), text_(text) {
    for (const Zone& zone : platform.zones) {
      for (const Route& route : zone.routes) add(direct_, {route.from, route.to}, route);
      for (const Route& route : zone.zone_routes)
        add(between_, {route.zone_from, route.zone_to}, route);
    }
  }

  std::size_t edges(Index from, Index to) {
    if (from == to) return 0;
    const Index a = platform_.points[from].zone, b = platform_.points[to].zone;
    if (a == b) return within(a, from, to);
    const auto [above_a, above_b] = below_common(a, b);
    const auto found = between_.find({above_a, above_b});
    if (found == between_.end())
      text_.wrong(platform_.zones[above_a].line,
                  fmt::format("no route leads from zone {} to zone {}: add a <zoneRoute>",
                              in_quotes(platform_.zones[above_a].id),
                              in_quotes(platform_.zones[above_b].id)));
    const Route& route = *found->second;
    return edges(from, route.from) + edges_of(platform_, route) + edges(route.to, to);
  }

 private:
  using Pair = std::pair<Index, Index>;

  void add(std::map<Pair, const Route*>& table, Pair ends, const Route& route) const {
    if (!table.emplace(ends, &route).second)
      text_.wrong(route.line,
                  "a second route between the same two, in this direction: remove it, "
                  "or write symmetrical=\"NO\"");
  }

  // The two zones, below the innermost one that holds both, that hold a and b.
  Pair below_common(Index a, Index b) const {
    const auto path = [&](Index zone) {
      std::vector<Index> up{zone};
      while (platform_.zones[up.back()].parent) up.push_back(*platform_.zones[up.back()].parent);
      std::reverse(up.begin(), up.end());
      return up;
    };
    const std::vector<Index> to_a = path(a), to_b = path(b);
    std::size_t i = 0;
    while (i < to_a.size() && i < to_b.size() && to_a[i] == to_b[i]) ++i;
    if (i == to_a.size() || i == to_b.size())
      text_.wrong(platform_.zones[to_a[i - 1]].line,
                  fmt::format("zone {} holds hosts beside zones: put them into a zone",
                              in_quotes(platform_.zones[to_a[i - 1]].id)));
    return {to_a[i], to_b[i]};
  }

  std::size_t within(Index zone, Index from, Index to) {
    const Zone& of = platform_.zones[zone];
    if (of.routing == Zone::Routing::cluster) return in_cluster(of.cluster, from, to);
    if (of.routing == Zone::Routing::shortest) return shortest(of, from, to);
    const auto found = direct_.find({from, to});
    if (found == direct_.end())
      text_.wrong(of.line, fmt::format("zone {} has no route from {} to {}: add it, or write "
                                       "routing=\"Floyd\"",
                                       in_quotes(of.id), in_quotes(platform_.points[from].name),
                                       in_quotes(platform_.points[to].name)));
    return edges_of(platform_, *found->second);
  }

  std::size_t in_cluster(const Cluster& cluster, Index from, Index to) const {
    const bool shared = platform_.links[cluster.links[0]].policy == Link::Policy::shared;
    const std::size_t own = shared ? 3 : 1;
    if (from == cluster.router || to == cluster.router) return own + (cluster.backbone ? 2 : 0);
    return 2 * own + (cluster.backbone ? 1 : 0);
  }

  // Fewest links, as Floyd and Dijkstra of SimGrid count; then fewest edges.
  std::size_t shortest(const Zone& zone, Index from, Index to) {
    auto& known = shortest_[from];
    if (known.empty()) {
      using Length = std::pair<std::size_t, std::size_t>;
      std::map<Index, Length> best{{from, {0, 0}}};
      for (bool changed = true; changed;) {
        changed = false;
        for (const Route& route : zone.routes) {
          const auto start = best.find(route.from);
          if (start == best.end()) continue;
          const Length length{start->second.first + route.ways.size(),
                              start->second.second + edges_of(platform_, route)};
          const auto [end, is_new] = best.emplace(route.to, length);
          if (!is_new && !(length < end->second)) continue;
          end->second = length;
          changed = true;
        }
      }
      for (const auto& [point, length] : best) known[point] = length.second;
    }
    const auto found = known.find(to);
    if (found == known.end())
      text_.wrong(zone.line, fmt::format("no routes of zone {} lead from {} to {}: add one",
                                         in_quotes(zone.id), in_quotes(platform_.points[from].name),
                                         in_quotes(platform_.points[to].name)));
    return found->second;
  }

  const Platform& platform_;
  const NetworkText& text_;
  std::map<Pair, const Route*> direct_, between_;
  std::map<Index, std::map<Index, std::size_t>> shortest_;  // by point
};

// Distances from one node, and whether a node has one shortest way only.
struct Ways {
  std::vector<std::size_t> distance;
  std::vector<bool> unique;
};

class Search {
 public:
  Search(const PlatformGraph& graph, const Platform& platform) : next_(size(graph)) {
    for (const auto& edge : graph.writer.graph().edges) next_[edge.from].push_back(edge.to);
    stops_.assign(next_.size(), false);
    for (std::size_t p = 0; p < platform.points.size(); ++p)
      stops_[graph.node_of[p]] = platform.points[p].is_host && !graph.forwards[p];
  }

  Ways from(std::size_t start) const {
    Ways ways{std::vector<std::size_t>(next_.size(), kNever),
              std::vector<bool>(next_.size(), true)};
    ways.distance[start] = 0;
    std::vector<std::size_t> reached{start};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::size_t at = reached[i];
      if (stops_[at] && at != start) continue;
      for (const std::size_t to : next_[at]) {
        if (ways.distance[to] == kNever) {
          ways.distance[to] = ways.distance[at] + 1;
          ways.unique[to] = ways.unique[at];
          reached.push_back(to);
        } else if (ways.distance[to] == ways.distance[at] + 1) {
          ways.unique[to] = false;
        }
      }
    }
    return ways;
  }

 private:
  static std::size_t size(const PlatformGraph& graph) { return graph.writer.graph().nodes.size(); }

  std::vector<std::vector<std::size_t>> next_;
  std::vector<bool> stops_;
};

std::vector<Index> representatives(const Platform& platform) {
  std::vector<Index> all;
  for (std::size_t p = 0; p < platform.points.size(); ++p)
    if (platform.points[p].is_host &&
        platform.zones[platform.points[p].zone].routing != Zone::Routing::cluster)
      all.push_back(p);
  for (const Zone& zone : platform.zones)
    for (std::size_t h = 0; h < std::min<std::size_t>(2, zone.cluster.hosts.size()); ++h)
      all.push_back(zone.cluster.hosts[h]);
  return all;
}

}  // namespace

void check_routes(const Platform& platform, const PlatformGraph& graph, const NetworkText& text) {
  const std::vector<Index> hosts = representatives(platform);
  const double work = static_cast<double>(hosts.size()) *
                      static_cast<double>(graph.writer.graph().edges.size() + hosts.size());
  if (work > kMostWork)
    text.wrong(1, "the platform has too many hosts with routes: give one with fewer");
  const bool tables = std::any_of(
      platform.zones.begin(), platform.zones.end(),
      [](const Zone& zone) { return zone.routing == Zone::Routing::full && !zone.routes.empty(); });
  Rules rules(platform, text);
  const Search search(graph, platform);
  for (const Index from : hosts) {
    const Ways ways = search.from(graph.node_of[from]);
    for (const Index to : hosts) {
      if (to == from) continue;
      const std::size_t node = graph.node_of[to], said = rules.edges(from, to);
      if (said != ways.distance[node] || (tables && !ways.unique[node]))
        text.wrong(platform.points[from].line,
                   fmt::format(
                       "the route from {} to {} is not the shortest, and only shortest ways "
                       "are simulated: write the network as GraphML",
                       in_quotes(platform.points[from].name), in_quotes(platform.points[to].name)));
    }
  }
}

}  // namespace arlab::bench::simgrid
