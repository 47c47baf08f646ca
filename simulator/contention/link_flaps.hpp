// LinkFlaps: the share of its bandwidth that each link has over time, where links fail for a while.
//
// A flap takes a share of a link's bandwidth away, or all of it, and gives it back: once, or once
// per period. Flaps of one link multiply.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/contention/indexed_heap.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

class LinkFlaps {
 public:
  struct Change {
    std::int32_t link = 0;
    double share = 1;  ///< of its bandwidth, from now on
  };

  /// Throws Error(usage) for a share outside of 0 to 1, and for a length that is not above 0 or not
  /// below the period.
  explicit LinkFlaps(std::vector<LinkFlap> flaps = {});

  bool empty() const { return flaps_.empty(); }
  /// Returns when the next flap begins or ends; kNever after the last one.
  Time next_time() const { return changes_.empty() ? kNever : changes_.next_time(); }
  /// Returns the longest period, or failure that comes once.
  Time longest() const { return longest_; }
  /// Returns the links of all flaps that have begun or ended up to `now`, with their shares. Valid
  /// until the next call.
  std::span<const Change> advance(Time now);

 private:
  void update(std::uint32_t flap, Time now);

  std::vector<LinkFlap> flaps_;          // in order of their links
  std::vector<std::uint8_t> is_active_;  // of each flap
  IndexedHeap changes_;                  // of the flaps: the next begin or end
  std::vector<std::uint32_t> touched_;   // flaps that have begun or ended
  std::vector<Change> result_;
  Time longest_{};
};

}  // namespace arlab::simulator
