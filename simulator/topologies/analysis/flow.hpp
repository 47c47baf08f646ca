// FlowNetwork: the maximum flow between two nodes, and the sides of the minimum cut.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace arlab::simulator {

class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t nodes);
  ~FlowNetwork();

  /// Adds an arc and returns its number, from 0. Capacities are whole numbers; their sum must fit
  /// into 64 bits.
  std::size_t add(std::size_t from, std::size_t to, std::int64_t capacity);
  /// Changes the capacity of an arc.
  void set_capacity(std::size_t arc, std::int64_t capacity);

  /// Returns the maximum flow at the present capacities. Goldberg & Tarjan's push-relabel
  /// algorithm, JACM 35(4), 1988.
  std::int64_t max_flow(std::size_t source, std::size_t target);
  /// Returns the nodes on the source's side of the minimum cut of the latest max_flow().
  std::vector<bool> source_side(std::size_t source) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace arlab::simulator
