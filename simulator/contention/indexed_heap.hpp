// IndexedHeap: a priority queue of items by time, whose times may change.
//
// A heap with four children per node that knows the position of each item. So a new time moves the
// item and leaves no stale entry. Items of one time are taken together, in an order that depends
// only on the sequence of calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/base/time.hpp"

namespace arlab::simulator {

class IndexedHeap {
 public:
  using Item = std::uint32_t;  ///< small numbers

  bool empty() const { return heap_.empty(); }
  /// Returns the earliest time. The heap must not be empty.
  Time next_time() const { return heap_.front().time; }

  /// Sets the time of the item, which replaces its earlier time.
  void set(Item item, Time time) {
    if (item >= place_.size()) place_.resize(item + std::size_t{1}, kNowhere);
    std::size_t at = place_[item];
    if (at == kNowhere) {
      at = heap_.size();
      heap_.push_back({});
    } else if (heap_[at].time < time) {
      return sink(at, {time, item});
    }
    rise(at, {time, item});
  }

  /// Removes and returns all items of the earliest time. Valid until the next call.
  std::span<const Item> take_next() {
    const Time now = next_time();
    taken_.clear();
    if (is_single()) {
      taken_.push_back(heap_.front().item);
      place_[taken_.front()] = kNowhere;
      fill(0, false);
      return taken_;
    }
    // They are together at the top of the heap.
    found_.assign(1, 0);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const std::size_t first = kChildren * found_[i] + 1;
      for (std::size_t c = first; c < first + kChildren && c < heap_.size(); ++c)
        if (heap_[c].time == now) found_.push_back(static_cast<std::uint32_t>(c));
    }
    for (const std::uint32_t at : found_) taken_.push_back(heap_[at].item);
    for (const Item item : taken_) place_[item] = kNowhere;
    remove_found();
    return taken_;
  }

 private:
  static constexpr std::size_t kChildren = 4;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  struct Entry {
    Time time{};
    Item item = 0;
  };

  // Whether only one item has the earliest time.
  bool is_single() const {
    for (std::size_t c = 1; c <= kChildren && c < heap_.size(); ++c)
      if (heap_[c].time == heap_[0].time) return false;
    return true;
  }

  // Fills the hole with the last entry, which sinks to its place unless the heap is built anew.
  void fill(std::size_t hole, bool rebuild) {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (hole == heap_.size()) return;
    if (rebuild)
      put(hole, last);
    else
      sink(hole, last);
  }

  // From the last position on, so that each hole is filled with an entry that stays.
  void remove_found() {
    constexpr std::size_t kMany = 8;  // above 1 of 8 entries, building a new heap is faster
    const bool rebuild = found_.size() * kMany > heap_.size();
    std::sort(found_.begin(), found_.end(), std::greater<>());
    for (const std::uint32_t at : found_) fill(at, rebuild);
    if (rebuild && !heap_.empty())
      for (std::size_t at = (heap_.size() - 1) / kChildren + 1; at-- > 0;)
        sink(at, Entry(heap_[at]));
  }

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[entry.item] = static_cast<std::uint32_t>(at);
  }

  void rise(std::size_t at, const Entry& entry) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (entry.time >= heap_[parent].time) break;
      put(at, heap_[parent]);
      at = parent;
    }
    put(at, entry);
  }

  // Returns the earliest of up to four siblings: without branches, which are hard to predict, if
  // there are four.
  std::size_t earliest_of(std::size_t first) const {
    std::size_t min = first;
    if (first + kChildren > heap_.size()) {
      for (std::size_t c = first + 1; c < heap_.size(); ++c)
        if (heap_[c].time < heap_[min].time) min = c;
      return min;
    }
    const Entry* const e = &heap_[first];
    const std::size_t a = e[1].time < e[0].time, b = 2 + std::size_t{e[3].time < e[2].time};
    return first + (e[b].time < e[a].time ? b : a);
  }

  void sink(std::size_t at, const Entry& entry) {
    for (;;) {
      const std::size_t first = kChildren * at + 1;
      if (first >= heap_.size()) break;
      const std::size_t min = earliest_of(first);
      if (heap_[min].time >= entry.time) break;
      put(at, heap_[min]);
      at = min;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;  // of each item in the heap
  std::vector<std::uint32_t> found_;  // places of the taken items
  std::vector<Item> taken_;
};

}  // namespace arlab::simulator
