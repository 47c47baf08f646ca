// HostGraph: work of a host device that was captured instead of done, with what it must follow.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace arlab::collectives {

class HostGraph {
 public:
  using Node = std::size_t;

  /// `after`: nodes added before.
  Node add(std::function<void()> work, std::vector<Node> after);
  std::size_t nodes() const { return nodes_.size(); }

  /// Whether `last` comes after all other nodes.
  bool joins_all(Node last) const;

  /// Does all work, in an order that depends on `seed` as far as the edges allow; 0: as captured.
  void run(std::uint32_t seed) const;

  bool capturing = true;
  std::vector<std::function<void()>> at_launch;  ///< what the host does before each launch

 private:
  struct Entry {
    std::function<void()> work;
    std::vector<Node> after;
  };
  std::vector<Entry> nodes_;
};

}  // namespace arlab::collectives
