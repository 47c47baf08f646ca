#include "simulator/contention/incremental_maxmin.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "simulator/contention/same_rate.hpp"

namespace arlab::simulator {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();  // in a list of flows

}  // namespace

IncrementalMaxMin::IncrementalMaxMin(std::vector<double> capacity, double cap)
    : channels_(capacity.size()), cap_(cap > 0 ? cap : kInfinite), used_(capacity.size()) {
  for (std::size_t l = 0; l < capacity.size(); ++l) channels_[l].capacity = capacity[l];
}

IncrementalMaxMin::Flow IncrementalMaxMin::add(std::span<const Link> route) {
  expects(!route.empty(), "a flow has a route");
  const Flow flow = take_number();
  Route& r = routes_[flow];
  r.rate = 0;
  r.count = 1;
  r.length = static_cast<std::uint32_t>(route.size());
  if (r.length > kNear) make_room(flow);
  std::copy(route.begin(), route.end(),
            r.length <= kNear ? r.links.data() : &far_links_[flow * stride_]);
  return flow;
}

IncrementalMaxMin::Flow IncrementalMaxMin::take_number() {
  if (free_.empty()) {
    routes_.emplace_back();
    return static_cast<Flow>(routes_.size() - 1);
  }
  const Flow flow = free_.back();
  free_.pop_back();
  return flow;
}

// Makes room for the long route of a flow.
void IncrementalMaxMin::make_room(Flow flow) {
  const std::size_t length = routes_[flow].length;
  if (length > stride_) {
    const std::size_t wider = std::max(length, 2 * stride_),
                      flows = far_links_.size() / std::max<std::size_t>(1, stride_);
    std::vector<Link> links(flows * wider);
    std::vector<std::uint32_t> places(flows * wider);
    for (std::size_t f = 0; f < flows; ++f)
      for (std::size_t i = 0; i < stride_; ++i) {
        links[f * wider + i] = far_links_[f * stride_ + i];
        places[f * wider + i] = far_places_[f * stride_ + i];
      }
    far_links_ = std::move(links);
    far_places_ = std::move(places);
    stride_ = wider;
  }
  if (const std::size_t room = (flow + std::size_t{1}) * stride_; room > far_links_.size()) {
    far_links_.resize(room);
    far_places_.resize(room);
  }
}

void IncrementalMaxMin::start(Flow flow) {
  routes_[flow].started = true;
  crossings_ += routes_[flow].length;
  fresh_.push_back(flow);
  std::uint32_t* place = places(flow);
  for (const Link link : route(flow)) {
    Channel& c = channel(link);
    *place++ = c.flows.size();
    c.flows.push_back(flow);
    if (c.flows.size() == 1)
      c.level = c.capacity;
    else if (c.level < kInfinite)
      wait_once(link);
  }
}

void IncrementalMaxMin::stand_for(Flow flow, std::int32_t more) {
  routes_[flow].count += static_cast<std::uint32_t>(more);
  expects(started(flow) && routes_[flow].count > 0, "a started flow stands for at least itself");
  fresh_.push_back(flow);
  for (const Link link : route(flow)) {
    Channel& c = channel(link);
    if (c.flows.size() == 1)
      c.level = level_alone(c);
    else if (c.level == kInfinite)
      use(link, more * rate(flow));
    else
      wait_once(link);
  }
}

// The latest flows are the most likely to be in a cache.
IncrementalMaxMin::Flow IncrementalMaxMin::find_alike(std::span<const Link> route) const {
  constexpr std::uint32_t kSearched = 64;
  const FlowList& flows = channel(route[0]).flows;
  const std::uint32_t searched = std::min(kSearched, flows.size());
  for (const Flow* flow = flows.end(); flow != flows.end() - searched;)
    if (std::ranges::equal(this->route(*--flow), route)) return *flow;
  return kNoFlow;
}

void IncrementalMaxMin::stop(Flow flow) {
  free_.push_back(flow);
  if (!std::exchange(routes_[flow].started, false)) return;
  crossings_ -= routes_[flow].length;
  const double used = rate(flow) * routes_[flow].count;
  std::uint32_t* place = places(flow);
  for (const Link link : route(flow)) {
    Channel& c = channel(link);
    FlowList& flows = c.flows;
    const std::uint32_t hole = std::exchange(*place++, kNowhere), last = flows.size() - 1;
    const Flow moved = flows.remove(hole);
    if (hole != last) {
      const auto links = route(moved);
      std::uint32_t* const places_of_moved = places(moved);
      std::size_t at = 0;  // of the crossing: a route may repeat the link
      while (links[at] != link || places_of_moved[at] != last) ++at;
      places_of_moved[at] = hole;
    }
    if (flows.size() > 1 && c.level == kInfinite)
      use(link, -used);
    else if (!flows.empty())
      wait_once(link);
  }
}

void IncrementalMaxMin::set_capacity(Link link, double capacity) {
  channel(link).capacity = capacity;
  if (!channel(link).flows.empty()) wait_once(link);
}

std::span<const IncrementalMaxMin::Flow> IncrementalMaxMin::settle() {
  ++settles_;
  changed_.clear();
  for (const Flow flow : fresh_)
    if (started(flow)) {  // it may have stopped before it was settled
      const Limit limit = limit_of(flow);
      change_rate(flow, limit.rate, limit.link);
    }
  settle_levels();
  fresh_.clear();
  waiting_.clear();
  report();
  return changed_;
}

double IncrementalMaxMin::rate_alone(std::span<const Link> route) const {
  double rate = cap_;
  for (const Link link : route) rate = std::min(rate, channel(link).capacity);
  return rate;
}

// Up to rounding, many rates are what they were before.
void IncrementalMaxMin::report() {
  for (const Touched& t : touched_)
    if (same_rate(t.before, rate(t.flow))) {
      const double more = (t.before - rate(t.flow)) * routes_[t.flow].count;
      for (const Link link : route(t.flow))
        if (channel(link).level == kInfinite) use(link, more);
      routes_[t.flow].rate = t.before;
    } else {
      changed_.push_back(t.flow);
    }
  touched_.clear();
}

}  // namespace arlab::simulator
