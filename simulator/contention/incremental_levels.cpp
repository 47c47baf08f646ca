// The levels of links after a change, one link after another.
#include <algorithm>
#include <bit>

#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/contention/same_rate.hpp"

namespace arlab::simulator {
namespace {

double zero_if(bool zero, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) &
                               (static_cast<std::uint64_t>(zero) - 1));
}

}  // namespace

// Every order ends with the same levels. The lowest level of all depends on no other one, so it is
// right as soon as its link is computed after the change; then so is the second lowest, and so on.
// So the lowest comes first, by its level before.
void IncrementalMaxMin::settle_levels() {
  const std::size_t most = 8 * crossings_ + 64;  // visits: then the whole is faster
  std::size_t visits = 0;
  while (!waiting_.empty()) {
    std::ranges::pop_heap(waiting_, std::greater<>());
    const Link link = waiting_.back().link;
    waiting_.pop_back();
    Channel& c = channel(link);
    visits += c.flows.size();
    const double level = level_of(link, c);
    if (level < c.level) {
      if (!same_rate(level, c.level)) lower(link, c, level);
    } else if (level > c.level) {
      if (!same_rate(level, c.level)) raise(link, c, level);
    }
    if (c.level == kInfinite) used_[static_cast<std::size_t>(link)] = sum_of_rates(c);
    c.turn = c.flows.size() > 1 ? Turn::none : Turn::alone;
    if (visits > most) {
      waiting_.push_back({level, link});
      return settle_whole();
    }
  }
}

// Returns the rate at which the link limits its flows, given what the other links allow them.
double IncrementalMaxMin::level_of(Link link, const Channel& c) {
  if (c.flows.empty()) return c.capacity;
  if (c.flows.size() == 1) return level_alone(c);
  double others = 0, fastest = 0;
  std::uint32_t held = 0;
  for (const Flow flow : c.flows) {  // without branches, which are hard to predict here
    const Route& r = routes_[flow];
    const bool is_held = r.holder == link;
    const double other = zero_if(is_held, r.rate);
    held += is_held ? r.count : 0;
    others += other * r.count;
    fastest = std::max(fastest, other);
  }
  if (held == 0) return others <= c.capacity ? kInfinite : fill(link, c);
  const double level = (c.capacity - others) / held;
  if (fastest > level) return fill(link, c);
  return level > c.level ? release(link, c, others, level) : level;
}

// Returns the level without the flows that other links limit below it, which raises it further.
double IncrementalMaxMin::release(Link link, const Channel& c, double others, double level) {
  limits_.resize(std::max<std::size_t>(limits_.size(), c.flows.size()));
  Limited* const limits = limits_.data();
  std::size_t held = 0;
  for (const Flow flow : c.flows)
    if (routes_[flow].holder == link)
      limits[held++] = {limit_elsewhere(flow, link), routes_[flow].count};
  for (;;) {
    std::size_t left = 0;
    std::uint32_t flows = 0;
    for (std::size_t i = 0; i < held; ++i)
      if (limits[i].rate < level) {
        others += limits[i].rate * limits[i].count;
      } else {
        flows += limits[i].count;
        limits[left++] = limits[i];
      }
    if (left == held) return level;
    if (left == 0) return kInfinite;
    held = left;
    level = (c.capacity - others) / flows;
  }
}

// Returns the level from the limits of all flows: raises it until the link is full.
double IncrementalMaxMin::fill(Link link, const Channel& c) {
  limits_.clear();
  for (const Flow flow : c.flows)
    limits_.push_back({routes_[flow].holder == link ? limit_elsewhere(flow, link) : rate(flow),
                       routes_[flow].count});
  double level = 0;
  for (std::uint32_t open = 0;;) {
    double left = c.capacity;
    std::uint32_t above = 0;
    for (const Limited& limit : limits_)
      if (limit.rate > level)
        above += limit.count;
      else
        left -= limit.rate * limit.count;
    if (above == 0) return kInfinite;
    if (above == open && level > 0) return level;
    open = above;
    level = std::max(level, left / above);
    if (level == 0) return 0;
  }
}

double IncrementalMaxMin::sum_of_rates(const Channel& c) const {
  double sum = 0;
  for (const Flow flow : c.flows) sum += rate(flow) * routes_[flow].count;
  return sum;
}

IncrementalMaxMin::Limit IncrementalMaxMin::limit_of(Flow flow) const {
  Limit limit{cap_, kCapped};
  for (const Link link : route(flow))
    if (channel(link).level < limit.rate) limit = {channel(link).level, link};
  return limit;
}

double IncrementalMaxMin::limit_elsewhere(Flow flow, Link link) const {
  double limit = cap_;
  for (const Link other : route(flow))
    if (other != link) limit = std::min(limit, channel(other).level);
  return limit;
}

void IncrementalMaxMin::lower(Link link, Channel& c, double level) {
  c.level = level;
  for (const Flow flow : c.flows) {
    if (rate(flow) > level) change_rate(flow, level, link);
  }
}

void IncrementalMaxMin::raise(Link link, Channel& c, double level) {
  c.level = level;
  for (const Flow flow : c.flows) {
    if (routes_[flow].holder != link) continue;
    const Limit limit = limit_of(flow);
    change_rate(flow, limit.rate, limit.link);
  }
}

}  // namespace arlab::simulator
