// IncrementalMaxMin: max-min fair rates of flows that start and stop on the links of a network.
//
// Each link has a level: the rate at which it limits flows, infinite if it is not full. The rate of
// a flow is the lowest level on its route, and the level of a link follows from the rates that the
// other links allow its flows. An allocation is max-min fair if and only if each flow crosses a
// full link on which no flow has a higher rate (Bertsekas & Gallager, section 6.5.2), which is so
// when all levels agree with the rates.
//
// A flow may stand for several of the same route, whose rates are equal: what a link computes takes
// as long as it has different routes.
//
// After a change, the levels of the links that gained or lost a flow are computed again, then those
// of the links whose flows have new rates, until none differs (incremental_levels.cpp). A change of
// much of the network is solved as a whole instead (incremental_whole.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "simulator/contention/flow_list.hpp"
#include "simulator/contention/maxmin.hpp"

namespace arlab::simulator {

class IncrementalMaxMin {
 public:
  using Flow = std::uint32_t;  ///< small numbers; those of stopped flows are reused
  using Link = std::int32_t;   ///< from 0

  /// Capacities are above 0, in any unit of rate. cap: the maximum rate of one flow; 0: no limit.
  IncrementalMaxMin(std::vector<double> capacity, double cap);

  /// Adds a flow that has not started. Its route has at least one link. A link that it names k
  /// times carries its rate k times.
  Flow add(std::span<const Link> route);
  void start(Flow flow);
  /// Removes the flow, started or not, and frees its number.
  void stop(Flow flow);

  /// From now on the flow, which has started, stands for `more` flows more, or fewer; at least 1
  /// remains.
  void stand_for(Flow flow, std::int32_t more);
  /// Returns a started flow of the same route, if it is soon found; else kNoFlow.
  Flow alike(std::span<const Link> route) const {
    return channel(route[0]).flows.empty() ? kNoFlow : find_alike(route);
  }
  static constexpr Flow kNoFlow = std::numeric_limits<Flow>::max();

  /// Changes the capacity of a link; 0: its flows wait.
  void set_capacity(Link link, double capacity);

  /// Updates all rates. Returns the flows whose rate has changed, valid until the next call.
  std::span<const Flow> settle();

  /// Returns the rate of a flow that shares no link of its route.
  double rate_alone(std::span<const Link> route) const;

  double rate(Flow flow) const { return routes_[flow].rate; }  ///< 0 before it is settled
  bool started(Flow flow) const { return routes_[flow].started; }
  std::span<const Link> route(Flow flow) const {
    const Route& r = routes_[flow];
    return {r.length <= kNear ? r.links.data() : far_links_.data() + flow * stride_, r.length};
  }
  std::size_t flows() const { return routes_.size(); }  ///< all flow numbers are below this

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr Link kCapped = -1;  // instead of the link that holds a flow
  static constexpr std::uint32_t kNear = 4;

  struct alignas(64) Route {  // of a flow, and its rate: one cache line
    double rate = 0;
    Link holder = kCapped;      // the link of the lowest level
    std::uint32_t touched = 0;  // the latest settle() that changed the rate
    std::uint32_t length = 0;
    std::uint32_t count = 1;  // flows for which it stands
    bool started = false;
    std::array<Link, kNear> links{};            // a longer route is in far_links_
    std::array<std::uint32_t, kNear> places{};  // in the lists of the links; far_places_
  };

  enum class Turn : std::uint8_t {
    none,
    waits,  // the level is to be computed again, or is just being computed
    alone,  // the link has one flow or none, and its level is right
  };

  struct alignas(64) Channel {  // the flows on one link: one cache line
    double capacity = 0;
    double level = kInfinite;  // that of a link of one flow is its capacity
    FlowList flows;
    Turn turn = Turn::alone;
    std::uint32_t index = 0;  // its number in the latest solution of the whole
  };

  static_assert(sizeof(Route) == 64 && sizeof(Channel) == 64);

  struct Touched {
    Flow flow;
    double before;  // its rate
  };

  struct Limit {  // of a flow by the links of its route
    double rate;
    Link link;
  };

  struct Limited {  // a flow on a link: its limit elsewhere, and for how many it stands
    double rate;
    std::uint32_t count;
  };

  Channel& channel(Link link) { return channels_[static_cast<std::size_t>(link)]; }
  const Channel& channel(Link link) const { return channels_[static_cast<std::size_t>(link)]; }
  Flow find_alike(std::span<const Link> route) const;
  Flow take_number();
  void make_room(Flow flow);
  std::uint32_t* places(Flow flow) {
    Route& r = routes_[flow];
    return r.length <= kNear ? r.places.data() : &far_places_[flow * stride_];
  }

  // The level of a link of one flow.
  double level_alone(const Channel& c) const {
    return c.capacity / routes_[*c.flows.begin()].count;
  }

  void wait(Link link) {
    Channel& c = channel(link);
    c.turn = Turn::waits;
    const double level = c.level < kInfinite ? c.level : c.capacity / std::max(1u, c.flows.size());
    waiting_.push_back({level, link});
    std::ranges::push_heap(waiting_, std::greater<>());
  }
  void wait_once(Link link) {
    if (channel(link).turn != Turn::waits) wait(link);
  }
  // The other full links of a flow whose rate changes are computed again.
  void change_rate(Flow flow, double rate, Link holder) {
    const double more = (rate - routes_[flow].rate) * routes_[flow].count;
    set_rate(flow, rate, holder);
    for (const Link link : route(flow)) {
      if (channel(link).level == kInfinite)
        use(link, more);
      else if (channel(link).turn == Turn::none)
        wait(link);
    }
  }
  void set_rate(Flow flow, double rate, Link holder) {
    Route& r = routes_[flow];
    if (std::exchange(r.touched, settles_) != settles_) touched_.push_back({flow, r.rate});
    r.rate = rate;
    r.holder = holder;
  }
  // So much more of a link that is not full is used. It is computed again if it may be full now.
  void use(Link link, double more) {
    double& used = used_[static_cast<std::size_t>(link)];
    used += more;
    if (used > kNearlyFull * channel(link).capacity) wait_once(link);
  }
  void report();

  // incremental_levels.cpp
  void settle_levels();
  double level_of(Link link, const Channel& c);
  double release(Link link, const Channel& c, double others, double level);
  double fill(Link link, const Channel& c);
  Limit limit_of(Flow flow) const;
  double limit_elsewhere(Flow flow, Link link) const;
  void lower(Link link, Channel& c, double level);
  void raise(Link link, Channel& c, double level);
  double sum_of_rates(const Channel& c) const;

  // incremental_whole.cpp
  void settle_whole();
  void gather(Link link);
  void add_to_problem(Flow flow);

  std::vector<Channel> channels_;
  double cap_;                 // infinite: none
  std::vector<Route> routes_;  // of each flow
  // `stride_` entries per flow, of which long routes use as many as they have links.
  std::size_t stride_ = 0;
  std::vector<Link> far_links_;
  std::vector<std::uint32_t> far_places_;
  std::vector<Flow> free_;
  std::size_t crossings_ = 0;  // total length of the routes of all started flows

  struct Waiting {
    double level;
    Link link;
    bool operator>(const Waiting& other) const {
      return level != other.level ? level > other.level : link > other.link;
    }
  };
  static constexpr double kNearlyFull = 1 - 1e-9;  // by rounding, sums differ

  std::vector<Waiting> waiting_;  // links that are computed again: a heap
  std::vector<double> used_;      // of links that are not full: the sum of their flows' rates
  std::vector<Flow> fresh_;       // started since the latest settle()
  std::vector<Touched> touched_;
  std::vector<Flow> changed_;
  std::vector<Limited> limits_;  // of the flows of one link
  std::uint32_t settles_ = 0;

  // The whole.
  std::uint32_t wholes_ = 0;
  std::vector<std::uint32_t> link_in_, flow_in_;  // the latest solution that contains each
  std::vector<Flow> group_;
  std::vector<Link> shared_, own_;  // links of the problem; of each flow: what limits it apart
  Sharing problem_;
  MaxMin solver_;
};

}  // namespace arlab::simulator
