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

  bool empty() const { return flows_.empty(); }
  std::size_t size() const { return flows_.size(); }
  /// Returns the flow that ends first. There is one.
  Flow first() const { return flows_.back().flow; }
  double bytes_of_first() const { return flows_.back().bytes; }
  double rate() const { return rate_; }
  /// Returns the time of the latest change.
  Time since() const { return since_; }

  /// A flow begins. One of as many bytes as others have left ends after them.
  void join(Flow flow, double bytes, Time now) {
    if (empty()) rate_ = 0;
    pass(now);
    std::size_t at = flows_.size();  // its place: of those before it the first one ends last
    double more = bytes - left_;
    if (empty() || more < 0) {
      if (!empty()) flows_.back().more = -more;
      left_ = bytes;
      more = 0;
    } else {
      for (--at; at > 0 && more >= flows_[at - 1].more; --at) more -= flows_[at - 1].more;
      if (at > 0) flows_[at - 1].more -= more;
    }
    flows_.insert(flows_.begin() + static_cast<std::ptrdiff_t>(at), {flow, bytes, more});
  }

  void set_rate(double rate, Time now) {
    pass(now);
    rate_ = rate;
  }

  /// The first flow has ended.
  void pop() {
    flows_.pop_back();
    if (!empty()) left_ += flows_.back().more;
  }

  /// Returns when the first flow ends at this rate; kNever if that is too late to count.
  Time end() const { return end_of(flows_.back(), left_); }

  /// Calls take(flow, bytes left at `since`, end) for each.
  template <class Take>
  void each(Take take) const {
    double left = left_;
    for (std::size_t i = flows_.size(); i-- > 0;) {
      if (i + 1 < flows_.size()) left += flows_[i].more;
      take(flows_[i].flow, left, end_of(flows_[i], left));
    }
  }

 private:
  struct Member {
    Flow flow;
    double bytes;  // of the whole flow
    double more;   // bytes left than the next one in the list; of the last one nothing
  };

  void pass(Time now) {
    left_ -= rate_ * picoseconds(now - since_);
    since_ = now;
  }
  Time end_of(const Member& m, double left) const {
    const double longer = flow_picoseconds(left, m.bytes, rate_);
    return longer <= picoseconds(kLongest) ? since_ + to_time(longer) : Time::max();
  }

  std::vector<Member> flows_;  // the first one to end is the last one here
  Time since_{};
  double left_ = 0;  // bytes of the first flow at `since_`
  double rate_ = 0;  // bytes per picosecond of each, since then
};

}  // namespace arlab::simulator
