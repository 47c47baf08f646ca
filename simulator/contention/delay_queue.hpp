// DelayQueue: a queue of items that become due after a delay, where few different delays occur.
//
// Time does not decrease, so items of one delay become due in the order in which they came: one list
// per delay. Items with other delays than the first few are kept in a heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/contention/indexed_heap.hpp"
#include "simulator/engine/list_pool.hpp"

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
    lanes_.push_back({delay, Time::max(), {}});
    append(lanes_.back(), item, now + delay);
  }

  /// Removes and returns all items of the earliest time. The queue must not be empty. Valid until the
  /// next call.
  std::span<const Item> take_next() {
    taken_.clear();
    const Time now = std::exchange(next_, Time::max());
    for (Lane& lane : lanes_) {
      while (lane.next == now) {
        taken_.push_back(pool_.take(lane.items).item);
        lane.next = lane.items.empty() ? Time::max() : pool_.front(lane.items).time;
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

  struct Entry {
    Time time{};
    Item item = 0;
  };
  struct Lane {
    Time delay{};
    Time next = Time::max();  // of its first item
    List items;
  };

  void append(Lane& lane, Item item, Time time) {
    if (lane.items.empty()) lane.next = time;
    pool_.append(lane.items, {time, item});
  }

  std::vector<Lane> lanes_;
  ListPool<Entry> pool_;
  IndexedHeap others_;
  Time next_ = Time::max();
  std::vector<Item> taken_;
};

}  // namespace arlab::simulator
