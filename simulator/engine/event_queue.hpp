// EventQueue: a monotone radix queue that pops events in order of time; ties in order of insertion.
//
// Simulated time never decreases. So an event is stored in the bucket of the highest bit in which
// its time differs from the current time. A bucket is redistributed to lower ones only when it
// becomes the lowest, so an event moves a few times, always sequentially. Ahuja, Mehlhorn, Orlin,
// Tarjan, Faster algorithms for the shortest path problem, JACM 37(2), 1990.
//
// Events of one time are always in one bucket and keep their order when it is redistributed: the
// queue is stable. Buckets are lists of blocks from a common pool, so memory is proportional to the
// number of events, not to the largest size of each bucket.
//
// Where times differ, as with random delays, a bucket that fits a block is sorted instead: its events
// become the run, from which they are popped in turn. Events that are pushed between them are popped
// from the buckets.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/time.hpp"

namespace arlab::simulator {

/// Event must have a member `Time time`.
template <class Event>
class EventQueue {
 public:
  bool empty() const { return filled_ == 0 && present_ == nullptr && !has_run(); }

  /// event.time must not be before the last popped event. Throws Error(usage) if it is after
  /// kLatest.
  void push(const Event& event) {
    expects(event.time >= now_, "an event lies in the past");
    const std::size_t b = bucket_of(in_calendar(event.time));
    append(buckets_[b], event);
    if (b == 0)
      present_ = buckets_[0].first;
    else
      filled_ |= std::uint64_t{1} << b;
  }

  /// Returns the time of the next event. The queue must not be empty.
  Time next_time() const {
    return has_run() ? std::min(run_[next_of_run_].time, next_of_buckets()) : next_of_buckets();
  }

  /// Removes and returns the next event. The queue must not be empty.
  Event pop() {
    if (!has_run() && present_ == nullptr) refill();
    if (run_is_next()) {
      now_ = run_[next_of_run_].time;
      return run_[next_of_run_++];
    }
    if (present_ == nullptr) refill();
    const Event event = present_->events[next_++];
    now_ = event.time;
    if (next_ == present_->size) drop_block();
    return event;
  }

  /// Returns the event that will be popped `ahead` events from now, or null if it is not cheap to
  /// find.
  const Event* upcoming(std::size_t ahead) const {
    if (has_run()) {
      const std::size_t i = next_of_run_ + ahead;
      return i < run_.size() && run_[i].time <= next_of_buckets() ? &run_[i] : nullptr;
    }
    return present_ && next_ + ahead < present_->size ? &present_->events[next_ + ahead] : nullptr;
  }

 private:
  static constexpr std::size_t kBlock = 1024;  // events

  struct Block {
    std::size_t size = 0;
    Block* next = nullptr;
    std::array<Event, kBlock> events;
  };
  struct Bucket {
    Block* first = nullptr;
    Block* last = nullptr;
    Time earliest = Time::max();
    Time latest{};
  };

  std::size_t bucket_of(Time time) const {
    return static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(time.count() ^ base_.count())));
  }

  void append(Bucket& bucket, const Event& event) {
    if (!bucket.last || bucket.last->size == kBlock) {
      Block* block = take_block();
      (bucket.last ? bucket.last->next : bucket.first) = block;
      bucket.last = block;
    }
    bucket.last->events[bucket.last->size++] = event;
    bucket.earliest = std::min(bucket.earliest, event.time);
    bucket.latest = std::max(bucket.latest, event.time);
  }

  bool has_run() const { return next_of_run_ < run_.size(); }
  // Events of the run were pushed before those of the same time in buckets.
  bool run_is_next() const { return has_run() && run_[next_of_run_].time <= next_of_buckets(); }
  Time next_of_buckets() const {
    if (present_) return base_;
    if (filled_ == 0) return Time::max();
    return buckets_[static_cast<std::size_t>(std::countr_zero(filled_))].earliest;
  }

  // Redistributes the lowest filled bucket from its earliest time on, or makes it the run.
  void refill() {
    const int lowest = std::countr_zero(filled_);
    filled_ &= filled_ - 1;
    const Bucket source = std::exchange(buckets_[static_cast<std::size_t>(lowest)], {});
    base_ = source.earliest;
    if (source.latest == base_) {  // all of one time: nothing to redistribute
      buckets_[0] = source;
    } else if (source.first == source.last && !has_run()) {
      sort_into_run(*source.first);
      give_back(source.first);
    } else {
      for (Block* block = source.first; block;) {
        for (std::size_t i = 0; i < block->size; ++i) push(block->events[i]);
        give_back(std::exchange(block, block->next));
      }
    }
    present_ = buckets_[0].first;
  }

  void sort_into_run(const Block& block) {
    order_.clear();
    for (std::size_t i = 0; i < block.size; ++i) order_.emplace_back(block.events[i].time, i);
    std::sort(order_.begin(), order_.end());
    run_.clear();
    next_of_run_ = 0;
    for (const auto& [time, i] : order_) run_.push_back(block.events[i]);
  }

  // Drops the first block of bucket 0, whose events have all been popped.
  void drop_block() {
    next_ = 0;
    Block* popped = present_;
    present_ = popped->next;
    buckets_[0].first = present_;
    if (!present_) buckets_[0] = {};
    give_back(popped);
  }

  Block* take_block() {
    if (free_.empty()) {
      owned_.push_back(std::make_unique<Block>());
      return owned_.back().get();
    }
    Block* block = free_.back();
    free_.pop_back();
    block->size = 0;
    block->next = nullptr;
    return block;
  }
  void give_back(Block* block) { free_.push_back(block); }

  std::array<Bucket, 64> buckets_;
  std::uint64_t filled_ = 0;  // bit b: bucket b > 0 is not empty
  Block* present_ = nullptr;  // first block of bucket 0, whose events all have time base_
  std::size_t next_ = 0;      // position in it
  Time now_{};                // of the last popped event
  Time base_{};               // at most all times in buckets; by their difference they are sorted
  std::vector<Event> run_;
  std::size_t next_of_run_ = 0;
  std::vector<std::pair<Time, std::size_t>> order_;  // of the run, while it is sorted
  std::vector<std::unique_ptr<Block>> owned_;
  std::vector<Block*> free_;
};

}  // namespace arlab::simulator
