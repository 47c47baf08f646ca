// AlikeFlows: flows of one route, which have one rate.
//
// The one with the fewest bytes left ends first, whatever the rate will be. So only its bytes
// change with the rate; each of the others has a number of bytes more than the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/base/time.hpp"
#include "simulator/flow_time.hpp"

namespace arlab::simulator {

class AlikeFlows {
 public:
  using Flow = std::uint32_t;

  bool empty() const { return !flows_; }
  std::size_t size() const { return flows_ ? 1 + later_.size() : 0; }
  /// Returns the flow that ends first. There is one.
  Flow first() const { return first_.flow; }
  double bytes_of_first() const { return first_.bytes; }
  double rate() const { return rate_; }
  /// Returns the time of the latest change.
  Time since() const { return since_; }

  /// A flow begins. One of as many bytes as others have left ends after them.
  void join(Flow flow, double bytes, Time now) {
    if (empty()) rate_ = 0;
    pass(now);
    double more = bytes - left_;
    if (empty() || more < 0) {
      first_.more = -more;
      if (!empty()) later_.push_back(first_);
      first_ = {flow, bytes, 0};
      left_ = bytes;
      flows_ = true;
      return;
    }
    std::size_t at = later_.size();  // its place: of those before it the first one ends last
    for (; at > 0 && more >= later_[at - 1].more; --at) more -= later_[at - 1].more;
    if (at > 0) later_[at - 1].more -= more;
    later_.insert(later_.begin() + static_cast<std::ptrdiff_t>(at), {flow, bytes, more});
  }

  void set_rate(double rate, Time now) {
    pass(now);
    rate_ = rate;
  }

  /// The first flow has ended.
  void pop() {
    flows_ = !later_.empty();
    if (!flows_) return;
    first_ = later_.back();
    left_ += first_.more;
    later_.pop_back();
  }

  /// Returns when the first flow ends at this rate; kNever if that is too late to count.
  Time end() const { return end_of(first_, left_); }

  /// Calls take(flow, bytes left at `since`, end) for each.
  template <class Take>
  void each(Take take) const {
    if (empty()) return;
    double left = left_;
    take(first_.flow, left, end());
    for (std::size_t i = later_.size(); i-- > 0;) {
      left += later_[i].more;
      take(later_[i].flow, left, end_of(later_[i], left));
    }
  }

 private:
  struct Member {
    Flow flow = 0;
    double bytes = 0;  // of the whole flow
    double more = 0;   // bytes left than the one that ends before it
  };

  void pass(Time now) {
    left_ -= rate_ * picoseconds(now - since_);
    since_ = now;
  }
  Time end_of(const Member& m, double left) const {
    const double longer = flow_picoseconds(left, m.bytes, rate_);
    return longer <= picoseconds(kLongest) ? since_ + to_time(longer) : Time::max();
  }

  bool flows_ = false;         // any
  Member first_;               // to end; most often there is no other
  std::vector<Member> later_;  // the next one to end is the last one here
  Time since_{};
  double left_ = 0;  // bytes of the first flow at `since_`
  double rate_ = 0;  // bytes per picosecond of each, since then
};

}  // namespace arlab::simulator
