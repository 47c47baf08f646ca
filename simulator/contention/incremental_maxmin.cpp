#include "simulator/contention/incremental_maxmin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Rates with a smaller relative difference are equal up to rounding.
constexpr double kRounding = 1e-12;

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();  // in a list of flows

bool same(double a, double b) { return std::abs(a - b) <= kRounding * std::max(a, b); }

}  // namespace

IncrementalMaxMin::IncrementalMaxMin(std::vector<double> capacity, double cap)
    : channels_(capacity.size()), cap_(cap) {
  for (std::size_t l = 0; l < capacity.size(); ++l) channels_[l].capacity = capacity[l];
}

IncrementalMaxMin::Flow IncrementalMaxMin::add(std::span<const Link> route) {
  expects(!route.empty(), "a flow has a route");
  if (route.size() > stride_) widen(route.size());
  const Flow flow = take_number();
  std::copy(route.begin(), route.end(),
            links_.begin() + static_cast<std::ptrdiff_t>(flow * stride_));
  length_[flow] = static_cast<std::uint32_t>(route.size());
  state_[flow].rate = 0;
  state_[flow].holder = kNew;
  return flow;
}

IncrementalMaxMin::Flow IncrementalMaxMin::take_number() {
  if (free_.empty()) {
    const std::size_t flows = length_.size() + 1;
    links_.resize(flows * stride_);
    places_.resize(flows * stride_);
    length_.resize(flows);
    state_.resize(flows);
    started_.resize(flows);
    return static_cast<Flow>(flows - 1);
  }
  const Flow flow = free_.back();
  free_.pop_back();
  return flow;
}

// Makes room for a route longer than all before it.
void IncrementalMaxMin::widen(std::size_t length) {
  const std::size_t wider = std::max(length, 2 * stride_);
  std::vector<Link> links(length_.size() * wider);
  std::vector<std::uint32_t> places(length_.size() * wider);
  for (std::size_t f = 0; f < length_.size(); ++f)
    for (std::size_t i = 0; i < length_[f]; ++i) {
      links[f * wider + i] = links_[f * stride_ + i];
      places[f * wider + i] = places_[f * stride_ + i];
    }
  links_ = std::move(links);
  places_ = std::move(places);
  stride_ = wider;
}

void IncrementalMaxMin::mark(Link link) {
  if (std::exchange(channel(link).dirty, true)) return;
  dirty_.push_back(link);
}

void IncrementalMaxMin::start(Flow flow) {
  started_[flow] = true;
  crossings_ += length_[flow];
  std::uint32_t* place = &places_[flow * stride_];
  for (const Link link : route(flow)) {
    *place++ = static_cast<std::uint32_t>(channel(link).flows.size());
    channel(link).flows.push_back(flow);
    mark(link);
  }
}

void IncrementalMaxMin::stop(Flow flow) {
  free_.push_back(flow);
  if (!std::exchange(started_[flow], false)) return;
  crossings_ -= length_[flow];
  std::uint32_t* place = &places_[flow * stride_];
  for (const Link link : route(flow)) {
    std::vector<Flow>& flows = channel(link).flows;
    const std::uint32_t hole = std::exchange(*place++, kNowhere);
    const auto last = static_cast<std::uint32_t>(flows.size() - 1);
    if (hole != last) {
      const Flow moved = flows.back();
      std::size_t at = moved * stride_;  // of the crossing: a route may repeat the link
      while (links_[at] != link || places_[at] != last) ++at;
      places_[at] = hole;
      flows[hole] = moved;
    }
    flows.pop_back();
    mark(link);
  }
}

// All flows of the link are solved again: any of them may now be limited by it, or no longer.
void IncrementalMaxMin::set_capacity(Link link, double capacity) {
  channel(link).capacity = capacity;
  for (const Flow flow : channel(link).flows) state_[flow].holder = kNew;
  mark(link);
}

std::span<const IncrementalMaxMin::Flow> IncrementalMaxMin::settle() {
  changed_.clear();
  for (const Link link : dirty_)
    if (channel(link).dirty) settle_around(link);
  dirty_.clear();
  return changed_;
}

void IncrementalMaxMin::settle_around(Link dirty) {
  const Channel& c = channel(dirty);
  if (c.flows.empty() || (c.flows.size() == 1 && settle_alone(c.flows[0]))) {
    channel(dirty).dirty = false;
    return;
  }
  ++groups_;
  scratch_.flows.clear();
  channel(dirty).dirty = false;
  scratch_.waiting.assign(1, dirty);
  gather();
  if (!scratch_.flows.empty()) settle_group();
}

// Returns the first link of the lowest capacity, or kCapped if one flow may not fill it.
IncrementalMaxMin::Link IncrementalMaxMin::narrowest(std::span<const Link> route) const {
  const auto capacity = [&](Link link) {
    return channels_[static_cast<std::size_t>(link)].capacity;
  };
  const Link link = *std::min_element(route.begin(), route.end(),
                                      [&](Link a, Link b) { return capacity(a) < capacity(b); });
  return cap_ > 0 && cap_ < capacity(link) ? kCapped : link;
}

double IncrementalMaxMin::rate_alone(std::span<const Link> route) const {
  const Link link = narrowest(route);
  return link == kCapped ? cap_ : channels_[static_cast<std::size_t>(link)].capacity;
}

// Settles a flow that shares none of its links. Returns false if it shares one.
bool IncrementalMaxMin::settle_alone(Flow flow) {
  for (const Link link : route(flow))
    if (channel(link).flows.size() > 1) return false;
  for (const Link link : route(flow)) channel(link).dirty = false;
  set_rate(flow, rate_alone(route(flow)), narrowest(route(flow)));
  return true;
}

// Joins the new flows of each waiting link and the flows that it holds. Dirty links that these
// flows cross wait in turn.
void IncrementalMaxMin::gather() {
  while (!scratch_.waiting.empty()) {
    const Link link = scratch_.waiting.back();
    scratch_.waiting.pop_back();
    for (const Flow flow : channel(link).flows)
      if (state_[flow].holder == link || state_[flow].holder == kNew) join(flow);
  }
}

void IncrementalMaxMin::join(Flow flow) {
  if (std::exchange(state_[flow].group, groups_) == groups_) return;
  scratch_.flows.push_back(flow);
  for (const Link link : route(flow))
    if (std::exchange(channel(link).dirty, false)) scratch_.waiting.push_back(link);
}

void IncrementalMaxMin::settle_group() {
  begin_subproblem();
  for (;;) {
    extend_subproblem();
    const Shares solved = solver_.solve(scratch_.problem);
    if (!propagate(solved)) {
      for (std::size_t i = 0; i < scratch_.flows.size(); ++i) {
        const std::uint32_t holder = solved.holder[i];
        set_rate(scratch_.flows[i], solved.rate[i],
                 holder == Shares::kLimit ? scratch_.own[i] : scratch_.links[holder]);
      }
      return;
    }
    if (scratch_.visited > crossings_) join_connected();
  }
}

void IncrementalMaxMin::begin_subproblem() {
  scratch_.own.clear();
  scratch_.links.clear();
  scratch_.crossings = scratch_.visited = 0;
  scratch_.problem.capacity.clear();
  scratch_.problem.begin.assign(1, 0);
  scratch_.problem.links.clear();
  scratch_.problem.limit.clear();
}

// Adds the flows that have joined since: the group shares the capacity that the other flows leave.
void IncrementalMaxMin::extend_subproblem() {
  ++extensions_;
  scratch_.changed.clear();
  for (std::size_t i = scratch_.own.size(); i < scratch_.flows.size(); ++i)
    add_to_subproblem(scratch_.flows[i]);
  for (const Link link : scratch_.changed) {
    const Channel& c = channel(link);
    double others = 0;
    if (c.inside < c.flows.size())
      for (const Flow flow : c.flows)
        if (state_[flow].group != groups_) others += state_[flow].rate;
    scratch_.problem.capacity[c.index] = std::max(0.0, c.capacity - others);
  }
  scratch_.visited += scratch_.crossings;
}

// A link of no other flow is no part of the problem, but limits the flow's rate.
void IncrementalMaxMin::add_to_subproblem(Flow flow) {
  double limit = cap_ > 0 ? cap_ : kInfinite;
  Link own = kCapped;
  for (const Link link : route(flow)) {
    Channel& c = channel(link);
    if (c.flows.size() == 1) {
      if (c.capacity < limit) limit = c.capacity, own = link;
      continue;
    }
    if (std::exchange(c.group, groups_) != groups_) {
      c.index = static_cast<std::uint32_t>(scratch_.links.size());
      c.inside = 0;
      scratch_.links.push_back(link);
      scratch_.problem.capacity.push_back(0);
      scratch_.crossings += c.flows.size();
    }
    ++c.inside;
    scratch_.problem.links.push_back(c.index);
    if (std::exchange(c.changed, extensions_) != extensions_) scratch_.changed.push_back(link);
  }
  scratch_.problem.begin.push_back(static_cast<std::uint32_t>(scratch_.problem.links.size()));
  scratch_.problem.limit.push_back(limit);
  scratch_.own.push_back(own);
}

// Joins the flows outside the group whose rates the solution affects. Returns whether there are
// any.
bool IncrementalMaxMin::propagate(const Shares& solved) {
  const std::size_t before = scratch_.flows.size();
  scratch_.level.assign(scratch_.links.size(), kInfinite);
  scratch_.rate_changed.assign(scratch_.links.size(), false);
  for (std::size_t i = 0; i < before; ++i) {
    if (solved.holder[i] != Shares::kLimit) scratch_.level[solved.holder[i]] = solved.rate[i];
    if (same(solved.rate[i], rate(scratch_.flows[i]))) continue;
    for (std::uint32_t k = scratch_.problem.begin[i]; k < scratch_.problem.begin[i + 1]; ++k)
      scratch_.rate_changed[scratch_.problem.links[k]] = true;
  }
  for (std::size_t l = 0; l < scratch_.level.size(); ++l) {
    const Link link = scratch_.links[l];
    const Channel& c = channel(link);
    if (c.inside == c.flows.size() || (!scratch_.rate_changed[l] && scratch_.level[l] == kInfinite))
      continue;
    scratch_.visited += c.flows.size();
    for (const Flow flow : c.flows)
      if ((scratch_.rate_changed[l] && state_[flow].holder == link) ||
          state_[flow].rate > scratch_.level[l] * (1 + kRounding))
        join(flow);
  }
  gather();
  return scratch_.flows.size() > before;
}

// When a change affects too much of the network, joins all flows that links connect with the group.
void IncrementalMaxMin::join_connected() {
  for (std::size_t i = 0; i < scratch_.flows.size(); ++i)
    for (const Link link : route(scratch_.flows[i])) {
      Channel& c = channel(link);
      if (std::exchange(c.connected, groups_) == groups_) continue;
      for (const Flow flow : c.flows) join(flow);
    }
  scratch_.waiting.clear();
}

void IncrementalMaxMin::set_rate(Flow flow, double rate, Link holder) {
  State& state = state_[flow];
  state.holder = holder;
  if (same(state.rate, rate)) return;
  state.rate = rate;
  changed_.push_back(flow);
}

}  // namespace arlab::simulator
