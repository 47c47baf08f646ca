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
  bool empty() const { return filled_ == 0 && present_ == nullptr; }

  /// event.time must not be before the last popped event. Throws Error(usage) if it is after
  /// kLatest.
  // Inlined: g++ 12 calls it otherwise, which costs rings of events 5%.
  [[gnu::always_inline]] void push(const Event& event) {
    if (event.time < now_) [[unlikely]]
      expects(false, "an event lies in the past");
    const std::size_t b = bucket_of(in_calendar(event.time));
    append(buckets_[b], event);
    if (b == 0)
      present_ = buckets_[0].first;
    else
      filled_ |= std::uint64_t{1} << b;
  }

  /// Returns the time of the next event. The queue must not be empty.
  Time next_time() const {
    return present_ ? now_ : buckets_[static_cast<std::size_t>(std::countr_zero(filled_))].earliest;
  }

  /// Removes and returns the next event. The queue must not be empty.
  Event pop() {
    if (present_ == nullptr) refill();
    const Event event = present_->events[next_++];
    if (next_ == present_->size) drop_block();
    return event;
  }

  /// Returns the event that will be popped `ahead` events from now, or null if it is not cheap to
  /// find.
  const Event* upcoming(std::size_t ahead) const {
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
        std::bit_width(static_cast<std::uint64_t>(time.count() ^ now_.count())));
  }

  [[gnu::always_inline]] void append(Bucket& bucket, const Event& event) {
    if (!bucket.last || bucket.last->size == kBlock) {
      Block* block = take_block();
      (bucket.last ? bucket.last->next : bucket.first) = block;
      bucket.last = block;
    }
    bucket.last->events[bucket.last->size++] = event;
    bucket.earliest = std::min(bucket.earliest, event.time);
    bucket.latest = std::max(bucket.latest, event.time);
  }

  // Redistributes the lowest filled bucket, whose earliest time becomes the current time.
  void refill() {
    const int lowest = std::countr_zero(filled_);
    filled_ &= filled_ - 1;
    const Bucket source = std::exchange(buckets_[static_cast<std::size_t>(lowest)], {});
    now_ = source.earliest;
    if (source.latest == now_) {  // all of one time: nothing to redistribute
      buckets_[0] = source;
    } else {
      std::uint64_t filled = 0;
      for (Block* block = source.first; block;) {
        for (std::size_t i = 0; i < block->size; ++i) {
          const std::size_t b = bucket_of(block->events[i].time);
          append(buckets_[b], block->events[i]);
          filled |= std::uint64_t{1} << b;
        }
        give_back(std::exchange(block, block->next));
      }
      filled_ |= filled & ~std::uint64_t{1};
    }
    present_ = buckets_[0].first;
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
    if (!free_) {
      owned_.push_back(std::make_unique<Block>());
      return owned_.back().get();
    }
    Block* block = std::exchange(free_, free_->next);
    block->size = 0;
    block->next = nullptr;
    return block;
  }
  void give_back(Block* block) { block->next = std::exchange(free_, block); }

  std::array<Bucket, 64> buckets_;
  std::uint64_t filled_ = 0;  // bit b: bucket b > 0 is not empty
  Block* present_ = nullptr;  // first block of bucket 0, whose events all have time now_
  std::size_t next_ = 0;      // position in it
  Time now_{};
  std::vector<std::unique_ptr<Block>> owned_;
  Block* free_ = nullptr;  // a list
};

}  // namespace arlab::simulator
