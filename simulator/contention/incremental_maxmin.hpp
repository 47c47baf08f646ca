// IncrementalMaxMin: the max-min rates of flows that come and go on the links of a network.
//
// Only what a change touches is solved again: the flows held by a link that gained or lost one,
// while all others keep their rates and leave the rest of the capacity; then those whose share the
// new rates would spoil join in, until nobody is left to join. An allocation is max-min fair
// exactly if each flow crosses a full link on which no flow has more (Bertsekas & Gallager, section
// 6.5.2): that link holds it. No time, no network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/contention/maxmin.hpp"

namespace arlab::simulator {

class IncrementalMaxMin {
 public:
  using Flow = std::uint32_t;  ///< small numbers; those of flows that stopped are used again
  using Link = std::int32_t;   ///< from 0

  /// Capacities above 0 in any unit of rate; cap: most that one flow may have, 0: no limit.
  IncrementalMaxMin(std::vector<double> capacity, double cap);

  /// A flow that does not flow yet. It crosses each link of the route at most once, and at least
  /// one.
  Flow add(std::span<const Link> route);
  void start(Flow flow);
  /// Ends it, started or not; its number is free.
  void stop(Flow flow);

  /// Brings all rates up to date; returns the flows whose rate is a new one. Valid until the next
  /// call.
  std::span<const Flow> settle();

  double rate(Flow flow) const { return rate_[flow]; }  ///< 0 before it is settled
  bool started(Flow flow) const { return started_[flow]; }
  std::span<const Link> route(Flow flow) const {
    return {links_.data() + flow * stride_, length_[flow]};
  }
  std::size_t flows() const { return length_.size(); }  ///< all numbers are below

 private:
  struct Channel {  // what flows on one link
    double capacity = 0;
    std::vector<Flow> flows;
    bool dirty = false;        // has gained or lost a flow since it was settled
    std::uint32_t group = 0;   // the latest all of whose flows joined
    std::uint32_t posed = 0;   // the latest problem that it is part of; in that:
    std::uint32_t local = 0;   // its number
    std::uint32_t inside = 0;  // how many of its flows
  };

  Channel& channel(Link link) { return channels_[static_cast<std::size_t>(link)]; }
  Flow take_number();
  void widen(std::size_t length);
  void mark(Link link);

  void settle_around(Link dirty);
  bool alone(Flow flow);
  void gather();
  void join(Flow flow);
  void settle_part();
  void pose();
  bool spread(const Shares& solved);
  void join_connected();
  void adopt(Flow flow, double rate, Link holder);

  static constexpr Link kNew = -2, kCapped = -1;  // instead of the link that holds a flow

  std::vector<Channel> channels_;
  double cap_;
  // Of each flow; routes and the places in the list of each link are `stride_` apart:
  std::size_t stride_ = 2;
  std::vector<Link> links_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> length_;
  std::vector<double> rate_;
  std::vector<Link> holder_;
  std::vector<std::uint32_t> group_;  // the latest that it joined
  std::vector<std::uint8_t> started_;
  std::vector<Flow> free_;
  std::size_t crossings_ = 0;  // links of all routes of flows that have started

  std::vector<Link> dirty_;
  std::vector<Flow> changed_;
  // The group of flows and links that is being solved:
  std::uint32_t groups_ = 0, posed_ = 0;
  std::vector<Flow> part_;
  std::vector<Link> part_links_;
  std::vector<Link> waiting_;
  std::size_t looked_at_ = 0;            // flows in the lists of links, so far
  std::vector<double> level_;            // of each of these links: the rate at which it holds flows
  std::vector<std::uint8_t> disturbed_;  // of each: a rate on it is a new one
  Sharing sharing_;
  MaxMin solver_;
};

}  // namespace arlab::simulator
