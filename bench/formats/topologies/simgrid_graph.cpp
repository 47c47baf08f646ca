#include "bench/formats/topologies/simgrid_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "bench/formats/topologies/network_file.hpp"

namespace arlab::bench::simgrid {
namespace {

using Node = GraphWriter::Node;

bool is_alone(const Platform& platform, const Route& route) {
  return route.ways.size() == 1 &&
         platform.links[route.ways[0].link].policy == Link::Policy::duplex;
}

class GraphMaker {
 public:
  GraphMaker(const Platform& platform, const NetworkText& text)
      : platform_(platform), text_(text), ends_(2 * platform.links.size()) {}

  PlatformGraph make() {
    check_fatpipes();
    check_limited();
    count_uses();
    add_points();
    for (const Zone& zone : platform_.zones) {
      if (zone.routing == Zone::Routing::cluster) add_cluster(zone);
      for (const Route& route : zone.routes) add_route(route);
      for (const Route& route : zone.zone_routes) add_route(route);
    }
    return std::move(made_);
  }

 private:
  // The flows of a FATPIPE do not share it. That cannot be said here, but makes no difference where
  // no other link is faster, and one limits each message: then it never limits.
  void check_fatpipes() {
    double fastest = 0;
    for (const Link& link : platform_.links)
      if (link.policy != Link::Policy::fatpipe) fastest = std::max(fastest, link.bandwidth);
    std::set<Index> used;
    for (const Zone& zone : platform_.zones) {
      for (const auto* routes : {&zone.routes, &zone.zone_routes})
        for (const Route& route : *routes)
          for (const Way& way : route.ways) used.insert(way.link);
      used.insert(zone.cluster.links.begin(), zone.cluster.links.end());
      if (zone.cluster.backbone) used.insert(*zone.cluster.backbone);
    }
    for (const Index l : used)
      if (const Link& link = platform_.links[l];
          link.policy == Link::Policy::fatpipe && link.bandwidth < fastest)
        text_.wrong(link.line, fmt::format("link {} is a FATPIPE slower than others, which is not "
                                           "simulated: write SHARED or SPLITDUPLEX",
                                           in_quotes(link.id)));
  }

  // Of FATPIPEs alone, each message would have the rate for itself, and no more.
  void check_limited() const {
    const auto is_fatpipe = [&](Index l) {
      return platform_.links[l].policy == Link::Policy::fatpipe;
    };
    std::vector<Index> part(platform_.points.size());  // of points that FATPIPEs join
    std::iota(part.begin(), part.end(), Index{0});
    const auto join_parts = [&](Index a, Index b) {
      std::ranges::replace(part, Index{part[a]}, Index{part[b]});
    };
    for (const Zone& zone : platform_.zones) {
      for (const auto* routes : {&zone.routes, &zone.zone_routes})
        for (const Route& route : *routes)
          if (!route.ways.empty() && std::ranges::all_of(route.ways, is_fatpipe, &Way::link))
            join_parts(route.from, route.to);
      const Cluster& cluster = zone.cluster;
      for (std::size_t h = 0; h < cluster.hosts.size(); ++h)
        if (is_fatpipe(cluster.links[h]) && (!cluster.backbone || is_fatpipe(*cluster.backbone)))
          join_parts(cluster.hosts[h], cluster.router);
    }
    std::map<Index, Index> host_of;  // the first one of each part
    for (Index p = 0; p < part.size(); ++p) {
      if (!platform_.points[p].is_host) continue;
      const auto [first, is_new] = host_of.emplace(part[p], p);
      if (is_new) continue;
      const Point &a = platform_.points[first->second], &b = platform_.points[p];
      text_.wrong(b.line, fmt::format("only FATPIPEs join {} and {}, which limits each message by "
                                      "itself and is not simulated: write SHARED or SPLITDUPLEX",
                                      in_quotes(a.name), in_quotes(b.name)));
    }
  }

  double rate(Index link) const {
    const Link& of = platform_.links[link];
    return of.policy == Link::Policy::fatpipe
               ? of.bandwidth * static_cast<double>(platform_.points.size())
               : of.bandwidth;
  }

  static Index number(const Way& way) { return 2 * way.link + (way.back ? 1 : 0); }

  void count_uses() {
    uses_.assign(ends_.size(), 0);
    for (const Zone& zone : platform_.zones)
      for (const auto* routes : {&zone.routes, &zone.zone_routes})
        for (const Route& route : *routes)
          for (const Way& way : route.ways) {
            const int alone = is_alone(platform_, route) ? 1 : 2;
            uses_[number(way)] += alone;
          }
    for (const Zone& zone : platform_.zones)
      for (const auto* routes : {&zone.routes, &zone.zone_routes})
        for (const Route& route : *routes)
          if (is_alone(platform_, route) && uses_[number(route.ways[0])] > 1)
            text_.wrong(route.line,
                        fmt::format("link {} is SPLITDUPLEX and in several routes, one of them "
                                    "without other links: give each route its own link",
                                    in_quotes(platform_.links[route.ways[0].link].id)));
  }

  // In zones of shortest ways, messages of others pass hosts, too.
  void add_points() {
    std::vector<std::set<Index>> neighbors(platform_.points.size());
    std::size_t clusters = 0, alone = 0;
    for (const Zone& zone : platform_.zones) {
      clusters += zone.routing == Zone::Routing::cluster ? 1 : 0;
      if (zone.routing == Zone::Routing::shortest)
        for (const Route& route : zone.routes) neighbors[route.from].insert(route.to);
    }
    for (const Point& point : platform_.points)
      if (point.is_host && platform_.zones[point.zone].routing != Zone::Routing::cluster) ++alone;
    for (std::size_t p = 0; p < platform_.points.size(); ++p) {
      const Point& point = platform_.points[p];
      const bool forwards = point.is_host && neighbors[p].size() > 1;
      const bool grouped = clusters > 1 && alone == 0;
      made_.forwards.push_back(forwards || !point.is_host);
      made_.node_of.push_back(
          point.is_host ? made_.writer.add_host(
                              point.name, grouped ? platform_.zones[point.zone].id : "", forwards)
                        : made_.writer.add_switch(point.name));
    }
  }

  struct Ends {
    Node in = 0, out = 0;
    bool made = false;
  };

  // The two nodes of a way, and the edge between them.
  const Ends& ends(const Way& way) {
    Ends& found = ends_[number(way)];
    if (found.made) return found;
    const Link& link = platform_.links[way.link];
    const std::string name = link.id + (way.back ? "_DOWN" : "");
    found = {made_.writer.add_switch("into " + name), made_.writer.add_switch("out of " + name),
             true};
    made_.writer.add_link(found.in, found.out, rate(way.link), link.latency, link.line);
    return found;
  }

  void join(Node from, Node to, double bandwidth, std::size_t line) {
    if (joined_.emplace(from, to).second) made_.writer.add_link(from, to, bandwidth, 0, line);
  }

  void add_route(const Route& route) {
    const Node from = made_.node_of[route.from], to = made_.node_of[route.to];
    if (route.ways.empty()) text_.wrong(route.line, "the route has no <link_ctn>: add one");
    if (is_alone(platform_, route)) {
      const Link& link = platform_.links[route.ways[0].link];
      made_.writer.add_link(from, to, link.bandwidth, link.latency, link.line);
      return;
    }
    Node at = from;
    double before = rate(route.ways[0].link);
    for (const Way& way : route.ways) {
      const Ends& next = ends(way);
      join(at, next.in, std::min(before, rate(way.link)), route.line);
      at = next.out;
      before = rate(way.link);
    }
    join(at, to, before, route.line);
  }

  // Hosts, a junction, or two with the backbone from one to the other, and the router.
  void add_cluster(const Zone& zone) {
    const Cluster& cluster = zone.cluster;
    const Node router = made_.node_of[cluster.router];
    Node in = router, out = router;
    if (cluster.backbone) {
      const Link& backbone = platform_.links[*cluster.backbone];
      in = made_.writer.add_switch("into " + backbone.id);
      out = made_.writer.add_switch("out of " + backbone.id);
      made_.writer.add_link(in, out, rate(*cluster.backbone), backbone.latency, zone.line);
      if (backbone.policy == Link::Policy::duplex)
        text_.wrong(zone.line,
                    "bb_sharing_policy of <cluster> is SPLITDUPLEX: write SHARED or "
                    "FATPIPE");
      if (platform_.zones.size() > 1) {
        join(out, router, rate(*cluster.backbone), zone.line);
        join(router, in, rate(*cluster.backbone), zone.line);
      } else {
        join(out, router, rate(*cluster.backbone), zone.line);
      }
    }
    for (std::size_t h = 0; h < cluster.hosts.size(); ++h) {
      const Node host = made_.node_of[cluster.hosts[h]];
      const Index l = cluster.links[h];
      const Link& link = platform_.links[l];
      if (link.policy == Link::Policy::shared) {
        const Ends both = ends({l, false});
        join(host, both.in, link.bandwidth, zone.line);
        join(both.out, in, link.bandwidth, zone.line);
        join(out, both.in, link.bandwidth, zone.line);
        join(both.out, host, link.bandwidth, zone.line);
      } else {
        made_.writer.add_link(host, in, rate(l), link.latency, zone.line);
        made_.writer.add_link(out, host, rate(l), link.latency, zone.line);
      }
    }
  }

  const Platform& platform_;
  const NetworkText& text_;
  PlatformGraph made_;
  std::vector<Ends> ends_;  // by way
  std::vector<int> uses_;   // by way: routes that use it, those with other links twice
  std::set<std::pair<Node, Node>> joined_;
};

}  // namespace

std::size_t edges_of(const Platform& platform, const Route& route) {
  return is_alone(platform, route) ? 1 : 2 * route.ways.size() + 1;
}

PlatformGraph graph_of(const Platform& platform, const NetworkText& text) {
  return GraphMaker(platform, text).make();
}

}  // namespace arlab::bench::simgrid

namespace arlab::bench {

simulator::ParsedGraph parse_simgrid(const NetworkText& text) {
  const simgrid::Platform platform = simgrid::read_platform(text);
  const simgrid::PlatformGraph graph = simgrid::graph_of(platform, text);
  simgrid::check_routes(platform, graph, text);
  return graph.writer.graph();
}

}  // namespace arlab::bench
