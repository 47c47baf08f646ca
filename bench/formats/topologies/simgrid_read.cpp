// Reads SimGrid's platform files, versions 3 and 4: <zone> (once <AS>) of routing Full, Floyd,
// Dijkstra and DijkstraCache, and flat <cluster>s. What a host computes is left out.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/formats/topologies/simgrid_platform.hpp"

namespace arlab::bench::simgrid {
namespace {

using Xml = pugi::xml_node;

bool is_called(const Xml& node, std::string_view a, std::string_view b = {}) {
  return node.name() == a || (!b.empty() && node.name() == b);
}

// Throws for attributes that change what is simulated and are not understood.
void refuse_attributes(const XmlText& xml, const Xml& node,
                       std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (node.attribute(name))
      xml.wrong(node, fmt::format("{} of <{}> is not read: remove it", name, node.name()));
}

class PlatformReader {
 public:
  explicit PlatformReader(const XmlText& xml) : xml_(xml) {}

  Platform read() {
    const Xml root = xml_.root();
    if (!is_called(root, "platform"))
      xml_.wrong(root, fmt::format("the first element is <{}>: write <platform>", root.name()));
    const double version = xml_.number(root, "version", 1, 100);
    if (version < 3 || version >= 5)
      xml_.wrong(root,
                 "this version of platforms is not read: convert it to 4.1 with "
                 "simgrid_update_xml");
    for (const Xml& child : root.children()) {
      if (child.type() != pugi::node_element) continue;
      if (is_called(child, "config"))
        read_config(child);
      else if (!made_.zones.empty())
        xml_.wrong(child, "a second outermost zone: put both into one zone");
      else
        read_zone_or_cluster(child, std::nullopt);
    }
    if (made_.zones.empty()) xml_.wrong(root, "the platform has no zone: add one");
    return std::move(made_);
  }

 private:
  // Settings of SimGrid's models are not ours: only those without effect on times pass.
  void read_config(const Xml& config) const {
    for (const Xml& prop : config.children("prop")) {
      const std::string_view id = prop.attribute("id").value();
      if (id.starts_with("tracing") || id == "network/coordinates" || id == "path") continue;
      xml_.wrong(prop,
                 fmt::format("the setting {} of SimGrid is not read: remove it", in_quotes(id)));
    }
  }

  Index add_zone(const Xml& node, Zone::Routing routing, std::optional<Index> parent) {
    const std::string id(xml_.text(node, "id"));
    if (!zone_at_.emplace(id, made_.zones.size()).second)
      xml_.wrong(node, fmt::format("two zones have the id {}: give each its own", in_quotes(id)));
    made_.zones.push_back({});
    made_.zones.back().id = id;
    made_.zones.back().routing = routing;
    made_.zones.back().parent = parent;
    made_.zones.back().line = xml_.line_of(node);
    return made_.zones.size() - 1;
  }

  Index add_point(const Xml& node, std::string name, bool is_host, Index zone) {
    if (!point_at_.emplace(name, made_.points.size()).second)
      xml_.wrong(node, fmt::format("two hosts or routers have the id {}: give each its own",
                                   in_quotes(name)));
    made_.points.push_back({std::move(name), is_host, zone, xml_.line_of(node)});
    return made_.points.size() - 1;
  }

  Index add_link(const Xml& node, Link link) {
    link.line = xml_.line_of(node);
    if (!link_at_.emplace(link.id, made_.links.size()).second)
      xml_.wrong(node,
                 fmt::format("two links have the id {}: give each its own", in_quotes(link.id)));
    made_.links.push_back(std::move(link));
    return made_.links.size() - 1;
  }

  void read_zone_or_cluster(const Xml& node, std::optional<Index> parent) {
    if (is_called(node, "zone", "AS"))
      read_zone(node, parent);
    else if (is_called(node, "cluster"))
      read_cluster(node, parent);
    else
      xml_.unknown(node);
  }

  void read_zone(const Xml& node, std::optional<Index> parent) {
    const std::string_view routing = xml_.text(node, "routing");
    const bool full = routing == "Full";
    if (!full && routing != "Floyd" && routing != "Dijkstra" && routing != "DijkstraCache")
      xml_.wrong(node, fmt::format("the routing {} is not read: write Full, Floyd or Dijkstra",
                                   in_quotes(routing)));
    const Index zone = add_zone(node, full ? Zone::Routing::full : Zone::Routing::shortest, parent);
    for (const Xml& child : node.children()) {
      if (child.type() != pugi::node_element || is_called(child, "prop")) continue;
      if (is_called(child, "host"))
        read_host(child, zone);
      else if (is_called(child, "router"))
        add_point(child, std::string(xml_.text(child, "id")), false, zone);
      else if (is_called(child, "link"))
        read_link(child);
      else if (is_called(child, "route"))
        read_route(child, zone);
      else if (is_called(child, "zoneRoute", "ASroute"))
        read_zone_route(child, zone);
      else
        read_zone_or_cluster(child, zone);
    }
  }

  void read_host(const Xml& node, Index zone) {
    refuse_attributes(xml_, node, {"state_file", "state_profile"});
    for (const Xml& child : node.children())
      if (child.type() == pugi::node_element && !is_called(child, "prop") &&
          !is_called(child, "disk") && !is_called(child, "mount"))
        xml_.unknown(child);
    add_point(node, std::string(xml_.text(node, "id")), true, zone);
  }

  Link::Policy policy_of(const Xml& node, const char* name, Link::Policy usual) const {
    const std::string_view said = node.attribute(name).value();
    if (said.empty()) return usual;
    if (said == "SHARED") return Link::Policy::shared;
    if (said == "SPLITDUPLEX" || said == "FULLDUPLEX") return Link::Policy::duplex;
    if (said == "FATPIPE") return Link::Policy::fatpipe;
    xml_.wrong(node, fmt::format("{} of <{}> is {}: write SHARED, SPLITDUPLEX or FATPIPE", name,
                                 node.name(), in_quotes(said)));
  }

  void read_link(const Xml& node) {
    refuse_attributes(xml_, node,
                      {"bandwidth_file", "bandwidth_profile", "latency_file", "latency_profile",
                       "state_file", "state_profile"});
    for (const Xml& child : node.children())
      if (child.type() == pugi::node_element && !is_called(child, "prop")) xml_.unknown(child);
    Link link;
    link.id = xml_.text(node, "id");
    link.bandwidth = parse_bandwidth(xml_, node, "bandwidth");
    link.latency = node.attribute("latency") ? parse_latency(xml_, node, "latency") : 0;
    link.policy = policy_of(node, "sharing_policy", Link::Policy::shared);
    add_link(node, std::move(link));
  }

  Index point(const Xml& node, const char* name) const {
    const std::string id(xml_.text(node, name));
    const auto found = point_at_.find(id);
    if (found == point_at_.end())
      xml_.wrong(node, fmt::format("{} of <{}> is {}, which is no host or router before it: add it",
                                   name, node.name(), in_quotes(id)));
    return found->second;
  }

  bool is_symmetrical(const Xml& node) const {
    const std::string_view said = node.attribute("symmetrical").value();
    if (said == "NO" || said == "no") return false;
    if (!said.empty() && said != "YES" && said != "yes")
      xml_.wrong(node, fmt::format("symmetrical of <{}> is {}: write YES or NO", node.name(),
                                   in_quotes(said)));
    return true;
  }

  Way read_way(const Xml& node) const {
    std::string id(xml_.text(node, "id"));
    std::string_view direction = node.attribute("direction").value();
    if (direction == "NONE") direction = {};
    if (!direction.empty() && direction != "UP" && direction != "DOWN")
      xml_.wrong(node, fmt::format("direction of <link_ctn> is {}: write UP, DOWN or NONE",
                                   in_quotes(direction)));
    for (const std::string_view end : {"_UP", "_DOWN"})  // names of the two halves
      if (direction.empty() && !link_at_.contains(id) && id.ends_with(end)) {
        id.resize(id.size() - end.size());
        direction = end.substr(1);
      }
    const auto found = link_at_.find(id);
    if (found == link_at_.end())
      xml_.wrong(node, fmt::format("<link_ctn> names {}, which is no link before it: add it",
                                   in_quotes(id)));
    const bool duplex = made_.links[found->second].policy == Link::Policy::duplex;
    if (duplex && direction.empty())
      xml_.wrong(node, fmt::format("link {} is SPLITDUPLEX: write direction=\"UP\" or \"DOWN\"",
                                   in_quotes(id)));
    return {found->second, duplex && direction == "DOWN"};
  }

  std::vector<Way> read_ways(const Xml& node) const {
    std::vector<Way> ways;
    for (const Xml& child : node.children()) {
      if (child.type() != pugi::node_element || is_called(child, "prop")) continue;
      if (!is_called(child, "link_ctn", "link:ctn")) xml_.unknown(child);
      ways.push_back(read_way(child));
    }
    return ways;
  }

  void add_both(std::vector<Route>& to, Route route, bool symmetrical) const {
    Route back = route;
    to.push_back(std::move(route));
    if (!symmetrical) return;
    std::swap(back.from, back.to);
    std::swap(back.zone_from, back.zone_to);
    std::reverse(back.ways.begin(), back.ways.end());
    for (Way& way : back.ways)
      if (made_.links[way.link].policy == Link::Policy::duplex) way.back = !way.back;
    to.push_back(std::move(back));
  }

  void read_route(const Xml& node, Index zone) {
    Route route{point(node, "src"), point(node, "dst"), zone, zone,
                read_ways(node),    xml_.line_of(node)};
    for (const Index end : {route.from, route.to})
      if (made_.points[end].zone != zone)
        xml_.wrong(node, fmt::format("{} is in another zone: write a <zoneRoute>",
                                     in_quotes(made_.points[end].name)));
    if (route.from == route.to) return;  // what a host sends to itself passes no network
    add_both(made_.zones[zone].routes, std::move(route), is_symmetrical(node));
  }

  Index zone(const Xml& node, const char* name, Index parent) const {
    const std::string id(xml_.text(node, name));
    const auto found = zone_at_.find(id);
    if (found == zone_at_.end() || made_.zones[found->second].parent != parent)
      xml_.wrong(node, fmt::format("{} of <{}> is {}, which is no zone of this one before it: add "
                                   "it",
                                   name, node.name(), in_quotes(id)));
    return found->second;
  }

  // Throws unless the gateway is in the zone, or in a zone in it.
  void check_gateway(const Xml& node, Index gateway, Index zone) const {
    std::optional<Index> at = made_.points[gateway].zone;
    while (at && *at != zone) at = made_.zones[*at].parent;
    if (!at)
      xml_.wrong(node, fmt::format("the gateway {} is not in zone {}: name one that is",
                                   in_quotes(made_.points[gateway].name),
                                   in_quotes(made_.zones[zone].id)));
  }

  void read_zone_route(const Xml& node, Index parent) {
    Route route{point(node, "gw_src"),     point(node, "gw_dst"), zone(node, "src", parent),
                zone(node, "dst", parent), read_ways(node),       xml_.line_of(node)};
    if (route.zone_from == route.zone_to)
      xml_.wrong(node, "a route leads from a zone to itself: remove it");
    check_gateway(node, route.from, route.zone_from);
    check_gateway(node, route.to, route.zone_to);
    add_both(made_.zones[parent].zone_routes, std::move(route), is_symmetrical(node));
  }

  void read_cluster(const Xml& node, std::optional<Index> parent) {
    const std::string_view shape = node.attribute("topology").value();
    if (!shape.empty() && shape != "FLAT")
      xml_.wrong(node, fmt::format("a cluster of topology {} is not read: use torus, fat_tree or "
                                   "dragonfly of `arlab list topologies` with its parameters",
                                   in_quotes(shape)));
    refuse_attributes(xml_, node, {"limiter_link", "topo_parameters", "state_file"});
    for (const Xml& child : node.children())
      if (child.type() == pugi::node_element && !is_called(child, "prop")) xml_.unknown(child);
    const Index zone = add_zone(node, Zone::Routing::cluster, parent);
    const std::string prefix = node.attribute("prefix").value(),
                      suffix = node.attribute("suffix").value(), id(made_.zones[zone].id);
    Cluster cluster;
    Link each{"", parse_bandwidth(xml_, node, "bw"), parse_latency(xml_, node, "lat"),
              policy_of(node, "sharing_policy", Link::Policy::duplex), 0};
    for (const long number : parse_radical(xml_, node)) {
      cluster.hosts.push_back(
          add_point(node, fmt::format("{}{}{}", prefix, number, suffix), true, zone));
      each.id = fmt::format("{}_link_{}", id, number);
      cluster.links.push_back(add_link(node, each));
    }
    if (node.attribute("bb_bw")) {
      Link backbone{id + "_backbone", parse_bandwidth(xml_, node, "bb_bw"),
                    node.attribute("bb_lat") ? parse_latency(xml_, node, "bb_lat") : 0,
                    policy_of(node, "bb_sharing_policy", Link::Policy::shared), 0};
      cluster.backbone = add_link(node, std::move(backbone));
    } else if (node.attribute("bb_lat")) {
      xml_.wrong(node, "<cluster> has bb_lat without bb_bw: add it");
    }
    const std::string router = node.attribute("router_id").value();
    cluster.router =
        add_point(node, router.empty() ? fmt::format("{}{}_router{}", prefix, id, suffix) : router,
                  false, zone);
    made_.zones[zone].cluster = std::move(cluster);
  }

  const XmlText& xml_;
  Platform made_;
  std::map<std::string, Index> zone_at_, point_at_, link_at_;
};

}  // namespace

Platform read_platform(const NetworkText& text) {
  const XmlText xml(text);
  return PlatformReader(xml).read();
}

}  // namespace arlab::bench::simgrid
