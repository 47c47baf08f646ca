// IncrementalMaxMin: max-min fair rates of flows that start and stop on the links of a network.
//
// Each link has a level: the rate at which it limits flows, infinite if it is not full. The rate of
// a flow is the lowest level on its route, and the level of a link follows from the rates that the
// other links allow its flows. An allocation is max-min fair if and only if each flow crosses a full
// link on which no flow has a higher rate (Bertsekas & Gallager, section 6.5.2), which is so when all
// levels agree with the rates.
//
// After a change, the levels of the links that gained or lost a flow are computed again, then those
// of the links whose flows have new rates, until none differs (incremental_levels.cpp). A change of
// much of the network is solved as a whole instead (incremental_whole.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simulator/contention/maxmin.hpp"

namespace arlab::simulator {

class IncrementalMaxMin {
 public:
  using Flow = std::uint32_t;  ///< small numbers; those of stopped flows are reused
  using Link = std::int32_t;   ///< from 0

  /// Capacities are above 0, in any unit of rate. cap: the maximum rate of one flow; 0: no limit.
  IncrementalMaxMin(std::vector<double> capacity, double cap);

  /// Adds a flow that has not started. Its route has at least one link and no link twice.
  Flow add(std::span<const Link> route);
  void start(Flow flow);
  /// Removes the flow, started or not, and frees its number.
  void stop(Flow flow);

  /// Changes the capacity of a link; 0: its flows wait.
  void set_capacity(Link link, double capacity);

  /// Updates all rates. Returns the flows whose rate has changed, valid until the next call.
  std::span<const Flow> settle();

  /// Returns the rate of a flow that shares no link of its route.
  double rate_alone(std::span<const Link> route) const;

  double rate(Flow flow) const { return state_[flow].rate; }  ///< 0 before it is settled
  bool started(Flow flow) const { return started_[flow]; }
  std::span<const Link> route(Flow flow) const {
    return {links_.data() + flow * stride_, length_[flow]};
  }
  std::size_t flows() const { return length_.size(); }  ///< all flow numbers are below this

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr Link kCapped = -1;  // instead of the link that holds a flow

  struct State {  // of a flow
    double rate = 0;
    Link holder = kCapped;      // the link of the lowest level
    std::uint32_t touched = 0;  // the latest settle() that changed the rate
    std::uint32_t group = 0;    // the latest solution of the whole that contains the flow
  };

  struct Channel {  // the flows on one link
    double capacity = 0;
    double level = kInfinite;  // that of a link of one flow is its capacity
    std::vector<Flow> flows;
    bool waiting = false;       // the level is to be computed again
    std::uint32_t visited = 0;  // the latest solution of the whole that contains it, and in that:
    std::uint32_t index = 0;    // its number
  };

  struct Touched {
    Flow flow;
    double before;  // its rate
  };

  struct Limit {  // of a flow by the links of its route
    double rate;
    Link link;
  };

  Channel& channel(Link link) { return channels_[static_cast<std::size_t>(link)]; }
  const Channel& channel(Link link) const { return channels_[static_cast<std::size_t>(link)]; }
  Flow take_number();
  void widen(std::size_t length);

  void wait(Link link) {
    if (channel(link).waiting) return;
    channel(link).waiting = true;
    waiting_.push_back(link);
  }
  void set_rate(Flow flow, double rate, Link holder);
  void report();

  // incremental_levels.cpp
  void settle_levels();
  double level_of(Link link);
  double fill(Link link);
  Limit limit_of(Flow flow) const;
  double limit_elsewhere(Flow flow, Link link) const;
  void lower(Link link, double level);
  void raise(Link link, double level);
  void wait_for(Flow flow, Link changed, bool faster);

  // incremental_whole.cpp
  void settle_whole();
  void gather(Link link);
  void add_to_problem(Flow flow);

  std::vector<Channel> channels_;
  double cap_;  // infinite: none
  // By flow. links_ and places_ store `stride_` entries per flow: its route, and the flow's
  // position in the list of each link.
  std::size_t stride_ = 4;
  std::vector<Link> links_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> length_;
  std::vector<State> state_;
  std::vector<std::uint8_t> started_;
  std::vector<Flow> free_;
  std::size_t crossings_ = 0;  // total length of the routes of all started flows

  std::vector<Link> waiting_;  // in the order in which they are computed again
  std::vector<Flow> fresh_;    // started since the latest settle()
  std::vector<Touched> touched_;
  std::vector<Flow> changed_;
  std::vector<double> limits_;  // of the flows of one link
  std::uint32_t settles_ = 0;
  std::size_t visited_ = 0;  // flows of links, in this settle()

  // The whole.
  std::uint32_t wholes_ = 0;
  std::vector<Flow> group_;
  std::vector<Link> shared_, own_;  // links of the problem; of each flow: what limits it apart
  Sharing problem_;
  MaxMin solver_;
};

}  // namespace arlab::simulator
