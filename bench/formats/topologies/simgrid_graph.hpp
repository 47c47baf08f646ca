// The graph of a platform, and how many of its links a message passes.
#pragma once

#include "bench/formats/topologies/graph_writer.hpp"
#include "bench/formats/topologies/simgrid_platform.hpp"

namespace arlab::bench::simgrid {

struct PlatformGraph {
  GraphWriter writer;
  std::vector<GraphWriter::Node> node_of;  ///< of each point
  std::vector<bool> forwards;              ///< of each point: messages of others pass it
};

/// Links of a platform are no edges between two nodes, but what routes name, in any order. So each
/// way through a link becomes an edge between two nodes of its own, with edges without latency from
/// what comes before it to what comes after it in a route, which are never slower than the link. A
/// link that one route alone uses, alone, is an edge between that route's ends.
PlatformGraph graph_of(const Platform& platform, const NetworkText& text);

/// Returns the number of edges of a route, in its graph.
std::size_t edges_of(const Platform& platform, const Route& route);

/// Throws Error(usage) unless the shortest ways of the graph are those of the platform's routes.
void check_routes(const Platform& platform, const PlatformGraph& graph, const NetworkText& text);

}  // namespace arlab::bench::simgrid
