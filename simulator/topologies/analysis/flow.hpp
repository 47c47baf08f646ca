// FlowNetwork: how much can flow between two nodes, and which side of the narrowest cut each is on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace arlab::simulator {

class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t nodes);
  ~FlowNetwork();

  /// Capacities are whole numbers; all of them together must fit into 64 bits.
  void add(std::size_t from, std::size_t to, std::int64_t capacity);

  /// Once. Goldberg & Tarjan's push-relabel algorithm, JACM 35(4), 1988.
  std::int64_t max_flow(std::size_t source, std::size_t target);
  /// After max_flow: the nodes on the source's side of the cut.
  std::vector<bool> source_side(std::size_t source) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace arlab::simulator
