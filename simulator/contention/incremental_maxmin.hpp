// IncrementalMaxMin: max-min fair rates of flows that start and stop on the links of a network.
//
// A change re-solves only the flows that it affects: the flows limited by a link that gained or
// lost a flow. All others keep their rates, and the affected flows share the remaining capacity.
// Flows whose rates then violate fairness join the subproblem until it is consistent. An allocation
// is max-min fair if and only if each flow crosses a full link on which no flow has a higher rate
// (Bertsekas & Gallager, section 6.5.2). That link is the flow's holder.
#pragma once

#include <cstdint>
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

  /// Adds a flow that has not started. Its route has at least one link. A link that it names k times
  /// carries its rate k times.
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
  static constexpr Link kNew = -2, kCapped = -1;  // instead of the link that holds a flow

  struct State {  // of a flow, what neighbors look at
    double rate = 0;
    Link holder = kNew;
    std::uint32_t group = 0;  // the latest group that the flow joined
  };

  struct Channel {  // the flows on one link
    double capacity = 0;
    std::vector<Flow> flows;
    bool dirty = false;           // has gained or lost a flow since it was settled
    std::uint32_t connected = 0;  // the latest group that all its flows joined
    std::uint32_t group = 0;      // the latest group whose subproblem contains it, and in that:
    std::uint32_t index = 0;      // its number
    std::uint32_t inside = 0;     // the number of its flows
    std::uint32_t changed = 0;    // the latest extension of a subproblem that added flows to it
  };

  // Temporary data of one settle_around(): the group of flows that is being solved, and the links
  // that they share with other flows.
  struct Scratch {
    std::vector<Flow> flows;
    std::vector<Link> own;  // of each flow: what limits its rate apart from shared links
    std::vector<Link> links;
    std::vector<Link> waiting;               // links whose flows have not joined yet
    std::vector<Link> changed;               // links that the latest flows share
    std::size_t crossings = 0;               // entries in the flow lists of the links
    std::size_t visited = 0;                 // entries of flow lists read so far
    std::vector<double> level;               // of each link: the rate at which it limits flows
    std::vector<std::uint8_t> rate_changed;  // of each link: whether a flow on it has a new rate
    Sharing problem;
  };

  Channel& channel(Link link) { return channels_[static_cast<std::size_t>(link)]; }
  Flow take_number();
  void widen(std::size_t length);
  void mark(Link link);

  void settle_around(Link dirty);
  Link narrowest(std::span<const Link> route) const;
  bool settle_alone(Flow flow);
  void gather();
  void join(Flow flow);
  void settle_group();
  void begin_subproblem();
  void extend_subproblem();
  void add_to_subproblem(Flow flow);
  bool propagate(const Shares& solved);
  void join_connected();
  void set_rate(Flow flow, double rate, Link holder);

  std::vector<Channel> channels_;
  double cap_;
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

  std::vector<Link> dirty_;
  std::vector<Flow> changed_;
  std::uint32_t groups_ = 0, extensions_ = 0;  // of subproblems, so far
  Scratch scratch_;
  MaxMin solver_;
};

}  // namespace arlab::simulator
