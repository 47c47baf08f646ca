// AlikeFlows: flows of one route, which have one rate.
//
// The one with the fewest bytes left ends first, whatever the rate will be. So only its bytes
// change with the rate; each of the others has a number of bytes more than the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "algorithms/base/time.hpp"
#include "simulator/flow_time.hpp"

namespace arlab::simulator {

class AlikeFlows {
 public:
  using Flow = std::uint32_t;

  bool empty() const { return first_ == kNone; }
  std::size_t size() const { return empty() ? 0 : 1 + (later_ ? later_->size() : 0); }
  /// Returns the flow that ends first. There is one.
  Flow first() const { return first_; }
  double bytes_of_first() const { return bytes_; }
  double rate() const { return rate_; }
  /// Returns the time of the latest change.
  Time since() const { return since_; }

  /// A flow begins. One of as many bytes as others have left ends after them.
  void join(Flow flow, double bytes, Time now) {
    if (empty()) {
      first_ = flow;
      bytes_ = left_ = bytes;
      rate_ = 0;
      since_ = now;
      return;
    }
    pass(now);
    if (!later_) later_ = std::make_unique<std::vector<Member>>();
    double more = bytes - left_;
    if (more < 0) {
      later_->push_back({first_, bytes_, -more});
      first_ = flow;
      bytes_ = left_ = bytes;
      return;
    }
    std::size_t at = later_->size();  // its place: of those before it the first one ends last
    for (; at > 0 && more >= (*later_)[at - 1].more; --at) more -= (*later_)[at - 1].more;
    if (at > 0) (*later_)[at - 1].more -= more;
    later_->insert(later_->begin() + static_cast<std::ptrdiff_t>(at), {flow, bytes, more});
  }

  void set_rate(double rate, Time now) {
    pass(now);
    rate_ = rate;
  }

  /// The first flow has ended.
  void pop() {
    if (!later_ || later_->empty()) {
      first_ = kNone;
      return;
    }
    const Member next = later_->back();
    later_->pop_back();
    first_ = next.flow;
    bytes_ = next.bytes;
    left_ += next.more;
  }

  /// Returns when the first flow ends at this rate; kNever if that is too late to count.
  Time end() const { return end_of(bytes_, left_); }

  /// Calls take(flow, bytes left at `since`, end) for each.
  template <class Take>
  void each(Take take) const {
    if (empty()) return;
    double left = left_;
    take(first_, left, end());
    if (!later_) return;
    for (std::size_t i = later_->size(); i-- > 0;) {
      const Member& m = (*later_)[i];
      left += m.more;
      take(m.flow, left, end_of(m.bytes, left));
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
  Time end_of(double bytes, double left) const {
    const double longer = flow_picoseconds(left, bytes, rate_);
    return longer <= picoseconds(kLongest) ? since_ + to_time(longer) : Time::max();
  }

  static constexpr Flow kNone = std::numeric_limits<Flow>::max();

  Flow first_ = kNone;  // to end; most often there is no other
  double bytes_ = 0;    // of the whole first flow
  double left_ = 0;     // of these at `since_`
  double rate_ = 0;     // bytes per picosecond of each, since then
  Time since_{};
  std::unique_ptr<std::vector<Member>> later_;  // the next one to end is the last one here
};

}  // namespace arlab::simulator
