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
  std::vector<Rank> level{};    ///< of each node that it spans: steps from the root
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
      all.level.assign(index(ranks_), 0);
      all.spans.assign(index(ranks_), false);
      all.spans[index(r)] = true;
      wait(std::move(all));
      unlimited_ += trees_per_root * ranks_;
    }
  }

  // Grows all classes level by level in turn, so that each root uses the arcs near it and all trees
  // remain low; then completes them one after the other.
  std::vector<WeightedTree> run() {
    for (Rank level = 0; level < kMaxLevels; ++level)
      for (std::size_t count = waiting_.size(); count > 0; --count) {
        Class next = take();
        grow(next, level);
        wait(std::move(next));
      }
    std::vector<WeightedTree> trees;
    while (!waiting_.empty()) {
      Class next = take();
      grow(next, -1);
      expects(next.order.size() == index(ranks_), "every tree spans all ranks");
      trees.push_back(std::move(next.tree));
    }
    return trees;
  }

 private:
  static constexpr Rank kMaxLevels = 4;

  Class take() {
    Class next = std::move(waiting_.front());
    waiting_.pop_front();
    leave(next);
    return next;
  }

  // A waiting class reserves capacity: in a flow from x, its weight can pass from x to any node
  // that it spans.
  void wait(Class waiting) {
    reserved_ += waiting.tree.weight;
    if (waiting.order.size() == 1) {
      waiting_for_[index(waiting.tree.root)] += waiting.tree.weight;
    } else {
      waiting.node = spare_.empty() ? flow_.add_node() : spare_.back();
      if (!spare_.empty()) spare_.pop_back();
      for (const Rank r : waiting.order) flow_.add(waiting.node, r, unlimited_);
    }
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

  // Adds the arcs from nodes of this level of the tree, or of all levels if it is negative.
  void grow(Class& growing, Rank level) {
    for (std::size_t i = 0; i < growing.order.size(); ++i)
      if (level < 0 || growing.level[index(growing.order[i])] == level)
        grow_from(growing, growing.order[i]);
  }

  // Adds x -> y for every y that has room.
  void grow_from(Class& growing, Rank x) {
    open_ways(x, 1);
    for (Rank step = 1; step < ranks_ && growing.order.size() < index(ranks_); ++step) {
      const Rank y = x + step < ranks_ ? x + step : x + step - ranks_;
      // What x -> y has without the ways of the waiting classes.
      const Count free = flow_.capacity(x, y) - waiting_for_[index(y)];
      if (growing.spans[index(y)] || free == 0) continue;
      const Count wanted = std::min(growing.tree.weight, free);
      const Count taken = flow_.flow(x, y, reserved_ + wanted) - reserved_;
      if (taken <= 0) continue;
      if (taken < growing.tree.weight) {
        open_ways(x, -1);
        Class rest = growing;
        rest.tree.weight -= taken;
        growing.tree.weight = taken;
        wait(std::move(rest));
        open_ways(x, 1);
      }
      flow_.add(x, y, -taken);
      growing.tree.parent[index(y)] = x;
      growing.level[index(y)] = growing.level[index(x)] + 1;
      growing.spans[index(y)] = true;
      growing.order.push_back(y);
    }
    open_ways(x, -1);
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
