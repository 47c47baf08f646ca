#include "simulator/topologies/analysis/flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include "algorithms/base/stop.hpp"

namespace arlab::simulator {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct Arc {
  std::int64_t capacity = 0, residual = 0;
  Traits::edge_descriptor reverse;
};

}  // namespace

struct FlowNetwork::Impl {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc> graph;
  std::vector<Traits::edge_descriptor> arcs;
};

FlowNetwork::FlowNetwork(std::size_t nodes) : impl_(std::make_unique<Impl>()) {
  for (std::size_t n = 0; n < nodes; ++n) add_vertex(impl_->graph);
}

FlowNetwork::~FlowNetwork() = default;

std::size_t FlowNetwork::add(std::size_t from, std::size_t to, std::int64_t capacity) {
  auto& graph = impl_->graph;
  const auto there = add_edge(from, to, graph).first, back = add_edge(to, from, graph).first;
  graph[there] = {capacity, 0, back};
  graph[back] = {0, 0, there};
  impl_->arcs.push_back(there);
  return impl_->arcs.size() - 1;
}

void FlowNetwork::set_capacity(std::size_t arc, std::int64_t capacity) {
  impl_->graph[impl_->arcs[arc]].capacity = capacity;
}

std::int64_t FlowNetwork::max_flow(std::size_t source, std::size_t target) {
  stop_if_asked();
  auto& graph = impl_->graph;
  return boost::push_relabel_max_flow(graph, source, target, get(&Arc::capacity, graph),
                                      get(&Arc::residual, graph), get(&Arc::reverse, graph),
                                      get(boost::vertex_index, graph));
}

std::vector<bool> FlowNetwork::source_side(std::size_t source) const {
  const auto& graph = impl_->graph;
  std::vector<bool> reached(num_vertices(graph));
  std::vector<std::size_t> waiting{source};
  reached[source] = true;
  while (!waiting.empty()) {
    const std::size_t at = waiting.back();
    waiting.pop_back();
    for (const auto& arc : boost::make_iterator_range(out_edges(at, graph)))
      if (const std::size_t next = boost::target(arc, graph);
          graph[arc].residual > 0 && !reached[next]) {
        reached[next] = true;
        waiting.push_back(next);
      }
  }
  return reached;
}

}  // namespace arlab::simulator
