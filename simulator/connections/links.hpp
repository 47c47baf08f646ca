// Links: the links of a topology, each of which sends one packet after another.
//
// A link that has been idle lets a burst pass at once, as a token bucket does; from then on it
// sends at its rate. With a burst of 0 a link is a plain queue. Packets leave in the order in which
// they are added (the virtual scheduling algorithm of ITU-T I.371).
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/link_history.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class Links {
 public:
  /// burst, left: bytes that may pass at once after a long time, and at the start, when the ranks
  /// have just met at a barrier.
  Links(const Topology& topology, double burst, double left) {
    for (const Link& link : topology.links()) {
      const double beta = kPicosecondsPerSecond / link.bandwidth;
      const Time missing = to_time((burst - std::min(left, burst)) * beta);
      all_.push_back({beta, to_time(burst * beta), missing, link.latency});
    }
    carried_.resize(all_.size());
  }

  /// Adds a packet that reaches the link at `now`. Returns when its last byte leaves. Calls for one
  /// link are in order of time.
  Time send(LinkId link, double bytes, Time now) {
    State& state = all_[static_cast<std::size_t>(link)];
    carried_[static_cast<std::size_t>(link)] += bytes;
    const Time from = std::max(now, state.empty);
    state.empty = in_calendar(from + to_time(bytes * state.beta));
    if (history_) history_->add(static_cast<std::size_t>(link), from, state.empty, 1 / state.beta);
    return std::max(now, state.empty - state.burst);
  }

  /// Records from now on what each link carries. A burst counts at the link's rate.
  void watch(LinkHistory& history) { history_ = &history; }

  Time latency(LinkId link) const { return all_[static_cast<std::size_t>(link)].latency; }
  const std::vector<double>& carried() const { return carried_; }

 private:
  struct State {
    double beta;  // picoseconds per byte
    Time burst;
    Time empty;  // when its bucket is full again
    Time latency;
  };
  std::vector<State> all_;
  std::vector<double> carried_;     // bytes
  LinkHistory* history_ = nullptr;  // null: not recorded
};

}  // namespace arlab::simulator
