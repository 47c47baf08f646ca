#include "tests/fakes/gpu/graph.hpp"

#include <algorithm>
#include <random>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

HostGraph::Node HostGraph::add(std::function<void()> work, std::vector<Node> after) {
  for (const Node node : after) expects(node < nodes_.size(), "a node follows one to come");
  nodes_.push_back({std::move(work), std::move(after)});
  return nodes_.size() - 1;
}

bool HostGraph::joins_all(Node last) const {
  std::vector<bool> before(nodes_.size());
  before[last] = true;
  for (Node node = nodes_.size(); node-- > 0;)
    if (before[node])
      for (const Node earlier : nodes_[node].after) before[earlier] = true;
  return std::all_of(before.begin(), before.end(), [](bool joined) { return joined; });
}

void HostGraph::run(std::uint32_t seed) const {
  if (seed == 0) {
    for (const Entry& entry : nodes_) entry.work();
    return;
  }
  std::vector<std::size_t> missing(nodes_.size());
  std::vector<std::vector<Node>> next(nodes_.size());
  std::vector<Node> ready;
  for (Node node = 0; node < nodes_.size(); ++node) {
    missing[node] = nodes_[node].after.size();
    for (const Node earlier : nodes_[node].after) next[earlier].push_back(node);
    if (missing[node] == 0) ready.push_back(node);
  }
  std::minstd_rand random(seed);
  while (!ready.empty()) {
    // Often the newest, sometimes any: some streams get far ahead of others.
    const std::size_t pick = random() % 4 == 0 ? random() % ready.size() : ready.size() - 1;
    const Node node = ready[pick];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
    nodes_[node].work();
    for (const Node later : next[node])
      if (--missing[later] == 0) ready.push_back(later);
  }
}

}  // namespace arlab::collectives
