// Platform: what a platform file of SimGrid says: zones of hosts and routers, links, and which
// links a message passes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/formats/topologies/network_text.hpp"
#include "bench/formats/topologies/xml_text.hpp"

namespace arlab::bench::simgrid {

using Index = std::size_t;

struct Link {
  enum class Policy { shared, duplex, fatpipe };  ///< one rate for both ways, one each, no limit
  std::string id;
  double bandwidth = 0, latency = 0;  ///< bytes per second, picoseconds
  Policy policy = Policy::shared;
  std::size_t line = 0;
};

/// One way through a link: all ways of a shared link are one.
struct Way {
  Index link = 0;
  bool back = false;
};

/// A host or a router.
struct Point {
  std::string name;
  bool is_host = false;
  Index zone = 0;
  std::size_t line = 0;
};

/// From one point to another: inside a zone, or between two zones by their gateways.
struct Route {
  Index from = 0, to = 0;            ///< points: ends, or gateways
  Index zone_from = 0, zone_to = 0;  ///< of routes between zones
  std::vector<Way> ways;
  std::size_t line = 0;
};

/// Hosts with one link each to a common backbone, or to a crossbar.
struct Cluster {
  std::vector<Index> hosts, links;  ///< the points, and the link of each
  std::optional<Index> backbone;    ///< a link
  Index router = 0;                 ///< the point that others reach the cluster by
};

struct Zone {
  enum class Routing { full, shortest, cluster };
  std::string id;
  Routing routing = Routing::full;
  std::optional<Index> parent;
  std::vector<Route> routes, zone_routes;
  Cluster cluster;
  std::size_t line = 0;
};

struct Platform {
  std::vector<Zone> zones;
  std::vector<Point> points;
  std::vector<Link> links;
};

/// Throws Error(usage) for what is not understood, by name and line.
Platform read_platform(const NetworkText& text);

/// Reads "125MBps", "1Gbps", "1.25e8" (bytes per second), and "50us", "10ms", "1e-4" (seconds).
double parse_bandwidth(const XmlText& xml, const pugi::xml_node& node, const char* name);
double parse_latency(const XmlText& xml, const pugi::xml_node& node, const char* name);
/// Reads "0-99,120": the numbers of a cluster's hosts.
std::vector<long> parse_radical(const XmlText& xml, const pugi::xml_node& cluster);

}  // namespace arlab::bench::simgrid
