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
    const Node node = add(std::move(name), "host", std::move(group));
    if (forwards) graph_.nodes[node].attributes.values["forwards"] = "yes";
    return node;
  }
  Node add_switch(std::string name, std::string group = "") {
    return add(std::move(name), "switch", std::move(group));
  }

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
  Node add(std::string name, const char* kind, std::string group) {
    graph_.nodes.push_back({std::move(name), {}});
    auto& values = graph_.nodes.back().attributes.values;
    values["kind"] = kind;
    if (!group.empty()) values["group"] = std::move(group);
    return graph_.nodes.size() - 1;
  }

  simulator::ParsedGraph graph_;
};

}  // namespace arlab::bench
