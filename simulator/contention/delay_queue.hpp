// DelayQueue: a queue of items that become due after a delay, where few different delays occur.
//
// Time does not decrease, so items of one delay become due in the order in which they came: one
// list per delay. Items with other delays than the first few are kept in a heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/contention/indexed_heap.hpp"

namespace arlab::simulator {

class DelayQueue {
 public:
  using Item = std::uint32_t;  ///< small numbers, each at most once in the queue

  bool empty() const { return next_ == Time::max(); }
  /// Returns the earliest time; Time::max() if the queue is empty.
  Time next_time() const { return next_; }

  /// Adds an item that is due at now + delay. `now` is not before that of earlier calls.
  void push(Item item, Time now, Time delay) {
    next_ = std::min(next_, now + delay);
    for (Lane& lane : lanes_)
      if (lane.delay == delay) return append(lane, item, now + delay);
    if (lanes_.size() == kLanes) return others_.set(item, now + delay);
    lanes_.push_back({.delay = delay});
    append(lanes_.back(), item, now + delay);
  }

  /// Removes and returns all items of the earliest time. The queue must not be empty. Valid until
  /// the next call.
  std::span<const Item> take_next() {
    taken_.clear();
    const Time now = std::exchange(next_, Time::max());
    for (Lane& lane : lanes_) {
      while (lane.next == now) {
        taken_.push_back(lane.first);
        if (lane.first == lane.last) {
          lane.next = Time::max();
        } else {
          lane.first = after_[lane.first];
          lane.next = due_[lane.first];
        }
      }
      next_ = std::min(next_, lane.next);
    }
    if (!others_.empty() && others_.next_time() == now)
      for (const Item item : others_.take_next()) taken_.push_back(item);
    if (!others_.empty()) next_ = std::min(next_, others_.next_time());
    return taken_;
  }

 private:
  static constexpr std::size_t kLanes = 16;

  struct Lane {
    Time delay{};
    Time next = Time::max();  // of its first item; Time::max(): it is empty
    Item first = 0, last = 0;
  };

  void append(Lane& lane, Item item, Time time) {
    if (item >= due_.size()) {
      due_.resize(item + std::size_t{1});
      after_.resize(item + std::size_t{1});
    }
    due_[item] = time;
    if (lane.next == Time::max()) {
      lane.next = time;
      lane.first = item;
    } else {
      after_[lane.last] = item;
    }
    lane.last = item;
  }

  std::vector<Lane> lanes_;
  std::vector<Time> due_;    // of each item in a list
  std::vector<Item> after_;  // the one behind it
  IndexedHeap others_;
  Time next_ = Time::max();
  std::vector<Item> taken_;
};

}  // namespace arlab::simulator
