#include "simulator/forest/pack_trees.hpp"

#include <algorithm>
#include <deque>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

// Trees of one root that are equal so far. `order`: the nodes that they span, as they were reached.
struct Class {
  WeightedTree tree{};
  std::vector<Rank> order{};
  std::vector<bool> spans{};
  LimitedFlow::Node node = -1;  ///< stands for the class in flows while it waits with several nodes
};

class Packing {
 public:
  Packing(LimitedFlow& capacities, Count trees_per_root)
      : flow_(capacities), ranks_(capacities.nodes()), waiting_for_(index(ranks_), 0) {
    for (Rank r = 0; r < ranks_; ++r) {
      Class all{.tree = {.root = r, .weight = trees_per_root, .parent{}}};
      all.tree.parent.assign(index(ranks_), r);
      all.order = {r};
      all.spans.assign(index(ranks_), false);
      all.spans[index(r)] = true;
      wait(std::move(all), false);
      unlimited_ += trees_per_root * ranks_;
    }
  }

  std::vector<WeightedTree> run() {
    std::vector<WeightedTree> trees;
    while (!waiting_.empty()) {
      Class next = std::move(waiting_.front());
      waiting_.pop_front();
      leave(next);
      grow(next);
      trees.push_back(std::move(next.tree));
    }
    return trees;
  }

 private:
  // A waiting class reserves capacity: in a flow from x, its weight can pass from x to any node
  // that it spans.
  void wait(Class waiting, bool first) {
    reserved_ += waiting.tree.weight;
    if (waiting.order.size() == 1) {
      waiting_for_[index(waiting.tree.root)] += waiting.tree.weight;
    } else {
      waiting.node = spare_.empty() ? flow_.add_node() : spare_.back();
      if (!spare_.empty()) spare_.pop_back();
      for (const Rank r : waiting.order) flow_.add(waiting.node, r, unlimited_);
    }
    if (first)
      waiting_.push_front(std::move(waiting));
    else
      waiting_.push_back(std::move(waiting));
  }

  void leave(Class& ready) {
    reserved_ -= ready.tree.weight;
    if (ready.node < 0) {
      waiting_for_[index(ready.tree.root)] -= ready.tree.weight;
      return;
    }
    for (const Rank r : ready.order) flow_.add(ready.node, r, -unlimited_);
    spare_.push_back(ready.node);
    ready.node = -1;
  }

  // Adds (sign 1) or removes (-1) the ways of the waiting classes from x.
  void open_ways(Rank x, Count sign) {
    for (Rank r = 0; r < ranks_; ++r)
      if (r != x && waiting_for_[index(r)] > 0) flow_.add(x, r, sign * waiting_for_[index(r)]);
    for (const Class& c : waiting_)
      if (c.node >= 0) flow_.add(x, c.node, sign * c.tree.weight);
  }

  // Returns how many trees of the class may take x -> y.
  Count room(const Class& growing, Rank x, Rank y) {
    const Count free = flow_.capacity(x, y);
    if (free == 0) return 0;
    const Count wanted = std::min(growing.tree.weight, free);
    open_ways(x, 1);
    const Count flow = flow_.flow(x, y, reserved_ + wanted);
    open_ways(x, -1);
    return std::max<Count>(0, flow - reserved_);
  }

  void grow(Class& growing) {
    for (std::size_t i = 0; i < growing.order.size(); ++i) {
      const Rank x = growing.order[i];
      for (Rank step = 1; step < ranks_ && growing.order.size() < index(ranks_); ++step) {
        const Rank y = x + step < ranks_ ? x + step : x + step - ranks_;
        if (growing.spans[index(y)]) continue;
        const Count taken = room(growing, x, y);
        if (taken == 0) continue;
        if (taken < growing.tree.weight) {
          Class rest = growing;
          rest.tree.weight -= taken;
          growing.tree.weight = taken;
          wait(std::move(rest), true);
        }
        flow_.add(x, y, -taken);
        growing.tree.parent[index(y)] = x;
        growing.spans[index(y)] = true;
        growing.order.push_back(y);
      }
    }
    expects(growing.order.size() == index(ranks_), "every tree spans all ranks");
  }

  LimitedFlow& flow_;
  Rank ranks_;
  std::vector<Count> waiting_for_;  // weight of the waiting classes that span only their root
  std::deque<Class> waiting_;
  std::vector<LimitedFlow::Node> spare_;
  Count reserved_ = 0;  // weight of all waiting classes
  Count unlimited_ = 1;
};

}  // namespace

std::vector<WeightedTree> pack_trees(LimitedFlow& capacities, std::int64_t trees_per_root) {
  return Packing(capacities, trees_per_root).run();
}

}  // namespace arlab::simulator
