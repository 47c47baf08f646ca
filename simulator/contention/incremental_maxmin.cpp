#include "simulator/contention/incremental_maxmin.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "simulator/contention/same_rate.hpp"

namespace arlab::simulator {
namespace {

constexpr std::size_t kMany = 16;  // flows: with fewer, the whole is not faster than the levels

}  // namespace

IncrementalMaxMin::IncrementalMaxMin(std::vector<double> capacity, double cap)
    : channels_(capacity.size()), cap_(cap > 0 ? cap : kInfinite) {
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

void IncrementalMaxMin::start(Flow flow) {
  started_[flow] = true;
  crossings_ += length_[flow];
  fresh_.push_back(flow);
  std::uint32_t* place = &places_[flow * stride_];
  for (const Link link : route(flow)) {
    Channel& c = channel(link);
    *place++ = static_cast<std::uint32_t>(c.flows.size());
    c.flows.push_back(flow);
    if (c.flows.size() == 1)
      c.level = c.capacity;
    else
      wait(link);
  }
}

void IncrementalMaxMin::stop(Flow flow) {
  free_.push_back(flow);
  if (!std::exchange(started_[flow], false)) return;
  crossings_ -= length_[flow];
  const std::uint32_t* place = &places_[flow * stride_];
  for (const Link link : route(flow)) {
    std::vector<Flow>& flows = channel(link).flows;
    const Flow moved = flows.back();
    flows[*place] = moved;
    flows.pop_back();
    if (!flows.empty()) {
      const auto links = route(moved);
      const auto at = std::find(links.begin(), links.end(), link) - links.begin();
      places_[moved * stride_ + static_cast<std::size_t>(at)] = *place;
      wait(link);
    }
    ++place;
  }
}

void IncrementalMaxMin::set_capacity(Link link, double capacity) {
  channel(link).capacity = capacity;
  if (!channel(link).flows.empty()) wait(link);
}

std::span<const IncrementalMaxMin::Flow> IncrementalMaxMin::settle() {
  ++settles_;
  changed_.clear();
  visited_ = 0;
  // A flow may have stopped before it was settled, and its number started again.
  std::size_t fresh = 0;
  for (const Flow flow : fresh_) fresh += started_[flow] ? length_[flow] : 0;
  if (fresh_.size() >= kMany && 2 * fresh > crossings_) {
    settle_whole();
  } else {
    for (const Flow flow : fresh_)
      if (started_[flow]) {
        const Limit limit = limit_of(flow);
        set_rate(flow, limit.rate, limit.link);
      }
    settle_levels();
  }
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

void IncrementalMaxMin::set_rate(Flow flow, double rate, Link holder) {
  State& state = state_[flow];
  if (std::exchange(state.touched, settles_) != settles_) touched_.push_back({flow, state.rate});
  state.rate = rate;
  state.holder = holder;
}

// Up to rounding, many rates are what they were before.
void IncrementalMaxMin::report() {
  for (const Touched& t : touched_)
    if (same_rate(t.before, rate(t.flow)))
      state_[t.flow].rate = t.before;
    else
      changed_.push_back(t.flow);
  touched_.clear();
}

}  // namespace arlab::simulator
