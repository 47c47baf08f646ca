// Agenda: when each of many things happens next, where times change before they come.
//
// A heap with four children a node that knows where each thing is, so that a new time moves the
// thing instead of leaving an entry that no longer holds. Things of one time come together, in an
// order that follows from what was set when.
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
  using Thing = std::uint32_t;  ///< small numbers

  bool empty() const { return heap_.empty(); }
  /// Of the next things; the agenda must not be empty.
  Time next_time() const { return heap_.front().time; }

  /// The thing happens then, and not when it was to happen before.
  void set(Thing thing, Time time) {
    if (thing >= place_.size()) place_.resize(thing + std::size_t{1}, kNowhere);
    std::size_t at = place_[thing];
    if (at == kNowhere) {
      at = heap_.size();
      heap_.push_back({});
    } else if (heap_[at].time < time) {
      return sink(at, {time, thing});
    }
    rise(at, {time, thing});
  }

  /// Takes all things of the next time. Valid until the next call.
  std::span<const Thing> take_next() {
    const Time now = next_time();
    taken_.clear();
    // They are together at the top of the heap.
    found_.assign(1, 0);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const std::size_t first = kChildren * found_[i] + 1;
      for (std::size_t c = first; c < first + kChildren && c < heap_.size(); ++c)
        if (heap_[c].time == now) found_.push_back(static_cast<std::uint32_t>(c));
    }
    for (const std::uint32_t at : found_) taken_.push_back(heap_[at].thing);
    for (const Thing thing : taken_) place_[thing] = kNowhere;
    remove_found();
    return taken_;
  }

 private:
  static constexpr std::size_t kChildren = 4;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  struct Entry {
    Time time{};
    Thing thing = 0;
  };

  // From the last one on, so that a hole is filled with an entry that stays.
  void remove_found() {
    constexpr std::size_t kMany = 8;  // of so many, one: then it is quicker to build a new heap
    const bool rebuild = found_.size() * kMany > heap_.size();
    std::sort(found_.begin(), found_.end(), std::greater<>());
    for (const std::uint32_t at : found_) {
      const Entry last = heap_.back();
      heap_.pop_back();
      if (at == heap_.size()) continue;
      if (rebuild)
        put(at, last);
      else
        sink(at, last);
    }
    if (rebuild && !heap_.empty())
      for (std::size_t at = (heap_.size() - 1) / kChildren + 1; at-- > 0;)
        sink(at, Entry(heap_[at]));
  }

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[entry.thing] = static_cast<std::uint32_t>(at);
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

  void sink(std::size_t at, const Entry& entry) {
    for (;;) {
      const std::size_t first = kChildren * at + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t c = first + 1; c < first + kChildren && c < heap_.size(); ++c)
        if (heap_[c].time < heap_[least].time) least = c;
      if (heap_[least].time >= entry.time) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;  // of each thing in the heap
  std::vector<std::uint32_t> found_;  // places of what is taken
  std::vector<Thing> taken_;
};

}  // namespace arlab::simulator
