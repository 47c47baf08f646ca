#include "simulator/contention/incremental_maxmin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Rates that differ by less are one rate, rounded in two ways.
constexpr double kRounding = 1e-12;

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
  rate_[flow] = 0;
  holder_[flow] = kNew;
  return flow;
}

IncrementalMaxMin::Flow IncrementalMaxMin::take_number() {
  if (free_.empty()) {
    const std::size_t flows = length_.size() + 1;
    links_.resize(flows * stride_);
    places_.resize(flows * stride_);
    length_.resize(flows);
    rate_.resize(flows);
    holder_.resize(flows);
    group_.resize(flows);
    started_.resize(flows);
    return static_cast<Flow>(flows - 1);
  }
  const Flow flow = free_.back();
  free_.pop_back();
  return flow;
}

// A longer route than any before: moves all.
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
  const std::uint32_t* place = &places_[flow * stride_];
  for (const Link link : route(flow)) {
    std::vector<Flow>& flows = channel(link).flows;
    const Flow moved = flows.back();
    flows[*place] = moved;
    flows.pop_back();
    const auto links = route(moved);
    const auto at = std::find(links.begin(), links.end(), link) - links.begin();
    places_[moved * stride_ + static_cast<std::size_t>(at)] = *place++;
    mark(link);
  }
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
  if (c.flows.empty() || (c.flows.size() == 1 && alone(c.flows[0]))) {
    channel(dirty).dirty = false;
    return;
  }
  ++groups_;
  part_.clear();
  channel(dirty).dirty = false;
  waiting_.assign(1, dirty);
  gather();
  if (!part_.empty()) settle_part();
}

// Whether the flow has all its links to itself; then its rate is clear.
bool IncrementalMaxMin::alone(Flow flow) {
  double rate = kInfinite;
  Link narrowest = kCapped;
  for (const Link link : route(flow)) {
    if (channel(link).flows.size() > 1) return false;
    if (channel(link).capacity >= rate) continue;
    rate = channel(link).capacity;
    narrowest = link;
  }
  for (const Link link : route(flow)) channel(link).dirty = false;
  if (cap_ > 0 && cap_ < rate)
    adopt(flow, cap_, kCapped);
  else
    adopt(flow, rate, narrowest);
  return true;
}

// Of each link that waits, and of dirty ones that these flows cross, too: the new flows, and those
// that it held.
void IncrementalMaxMin::gather() {
  while (!waiting_.empty()) {
    const Link link = waiting_.back();
    waiting_.pop_back();
    for (const Flow flow : channel(link).flows)
      if (holder_[flow] == link || holder_[flow] == kNew) join(flow);
  }
}

void IncrementalMaxMin::join(Flow flow) {
  if (std::exchange(group_[flow], groups_) == groups_) return;
  part_.push_back(flow);
  for (const Link link : route(flow))
    if (std::exchange(channel(link).dirty, false)) waiting_.push_back(link);
}

void IncrementalMaxMin::settle_part() {
  looked_at_ = 0;
  for (;;) {
    pose();
    const Shares solved = solver_.solve(sharing_);
    if (!spread(solved)) {
      for (std::size_t i = 0; i < part_.size(); ++i) {
        const std::uint32_t holder = solved.holder[i];
        adopt(part_[i], solved.rate[i], holder == Shares::kCap ? kCapped : part_links_[holder]);
      }
      return;
    }
    if (looked_at_ > crossings_) join_connected();
  }
}

// States the problem of the part: its flows share what the others leave them.
void IncrementalMaxMin::pose() {
  sharing_.cap = cap_;
  sharing_.begin.assign(1, 0);
  sharing_.links.clear();
  part_links_.clear();
  ++posed_;
  for (const Flow flow : part_) {
    for (const Link link : route(flow)) {
      Channel& c = channel(link);
      if (std::exchange(c.posed, posed_) != posed_) {
        c.local = static_cast<std::uint32_t>(part_links_.size());
        c.inside = 0;
        part_links_.push_back(link);
      }
      ++c.inside;
      sharing_.links.push_back(c.local);
    }
    sharing_.begin.push_back(static_cast<std::uint32_t>(sharing_.links.size()));
  }
  sharing_.capacity.clear();
  for (const Link link : part_links_) {
    const Channel& c = channel(link);
    double others = 0;
    looked_at_ += c.flows.size();
    if (c.inside < c.flows.size())
      for (const Flow flow : c.flows)
        if (group_[flow] != groups_) others += rate_[flow];
    sharing_.capacity.push_back(std::max(0.0, c.capacity - others));
  }
}

// Whom the new rates concern beyond the part joins it; returns whether anyone did.
bool IncrementalMaxMin::spread(const Shares& solved) {
  const std::size_t before = part_.size();
  level_.assign(part_links_.size(), kInfinite);
  disturbed_.assign(part_links_.size(), false);
  for (std::size_t i = 0; i < before; ++i) {
    if (solved.holder[i] != Shares::kCap) level_[solved.holder[i]] = solved.rate[i];
    if (same(solved.rate[i], rate_[part_[i]])) continue;
    for (std::uint32_t k = sharing_.begin[i]; k < sharing_.begin[i + 1]; ++k)
      disturbed_[sharing_.links[k]] = true;
  }
  for (std::size_t l = 0; l < level_.size(); ++l) {
    const Link link = part_links_[l];
    const Channel& c = channel(link);
    if (c.inside == c.flows.size() || (!disturbed_[l] && level_[l] == kInfinite)) continue;
    looked_at_ += c.flows.size();
    for (const Flow flow : c.flows)
      if ((disturbed_[l] && holder_[flow] == link) || rate_[flow] > level_[l] * (1 + kRounding))
        join(flow);
  }
  gather();
  return part_.size() > before;
}

// Where changes spread too far to be worth looking: all flows that links connect with the part.
void IncrementalMaxMin::join_connected() {
  for (std::size_t i = 0; i < part_.size(); ++i)
    for (const Link link : route(part_[i])) {
      Channel& c = channel(link);
      if (std::exchange(c.group, groups_) == groups_) continue;
      for (const Flow flow : c.flows) join(flow);
    }
  waiting_.clear();
}

void IncrementalMaxMin::adopt(Flow flow, double rate, Link holder) {
  holder_[flow] = holder;
  if (same(rate_[flow], rate)) return;
  rate_[flow] = rate;
  changed_.push_back(flow);
}

}  // namespace arlab::simulator
