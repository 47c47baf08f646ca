// GraphWriter: builds the graph of a network's file from nodes and links with numbers.
#pragma once

#include <optional>
#include <string>

#include "algorithms/base/quantities.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::bench {

class GraphWriter {
 public:
  using Node = std::size_t;

  Node add_host(std::string name, std::string group = "", bool forwards = false) {
    const Node node = add(std::move(name), "host");
    auto& values = graph_.nodes[node].attributes.values;
    if (!group.empty()) values["group"] = std::move(group);
    if (forwards) values["forwards"] = "yes";
    return node;
  }
  Node add_switch(std::string name) { return add(std::move(name), "switch"); }

  /// Adds a link one way. Bandwidth in bytes per second; latency in picoseconds, which may be left
  /// to the settings after the file's name.
  void add_link(Node from, Node to, double bandwidth, std::optional<double> latency,
                std::size_t line) {
    simulator::Attributes attributes;
    attributes.values["bandwidth"] = show_number(bandwidth) + "B/s";
    if (latency) attributes.values["latency"] = show_picoseconds(*latency);
    graph_.edges.push_back({from, to, true, std::move(attributes), line});
  }
  void add_cable(Node a, Node b, double bandwidth, std::optional<double> latency,
                 std::size_t line) {
    add_link(a, b, bandwidth, latency, line);
    add_link(b, a, bandwidth, latency, line);
  }

  const simulator::ParsedGraph& graph() const { return graph_; }

 private:
  Node add(std::string name, const char* kind) {
    graph_.nodes.push_back({std::move(name), {}});
    graph_.nodes.back().attributes.values["kind"] = kind;
    return graph_.nodes.size() - 1;
  }

  simulator::ParsedGraph graph_;
};

}  // namespace arlab::bench
