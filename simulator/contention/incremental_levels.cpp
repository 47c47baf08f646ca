// The levels of links after a change, one link after another.
#include <algorithm>

#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/contention/same_rate.hpp"

namespace arlab::simulator {

// Every order ends with the same levels. The lowest level of all depends on no other one, so it is
// right as soon as its link is computed after the change; then so is the second lowest, and so on.
void IncrementalMaxMin::settle_levels() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Link link = waiting_[i];
    Channel& c = channel(link);
    c.waiting = false;
    visited_ += c.flows.size();
    if (c.flows.empty()) continue;
    const double level = level_of(link);
    if (same_rate(level, c.level)) continue;
    if (level < c.level)
      lower(link, level);
    else
      raise(link, level);
    if (visited_ > 4 * crossings_ + 100) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      return settle_whole();
    }
  }
}

// Returns the rate at which the link limits its flows, given what the other links allow them.
double IncrementalMaxMin::level_of(Link link) {
  const Channel& c = channel(link);
  if (c.flows.size() == 1) return c.capacity;
  double others = 0, fastest = 0;
  std::uint32_t held = 0;
  for (const Flow flow : c.flows) {
    const State& s = state_[flow];
    if (s.holder == link) {
      ++held;
    } else {
      others += s.rate;
      fastest = std::max(fastest, s.rate);
    }
  }
  if (held == 0) return others <= c.capacity ? kInfinite : fill(link);
  const double level = (c.capacity - others) / held;
  if (fastest > level) return fill(link);
  if (level > c.level)
    for (const Flow flow : c.flows)
      if (state_[flow].holder == link && limit_elsewhere(flow, link) < level) return fill(link);
  return level;
}

// The same from the limits of all flows: raises the level until the link is full.
double IncrementalMaxMin::fill(Link link) {
  const Channel& c = channel(link);
  limits_.clear();
  for (const Flow flow : c.flows)
    limits_.push_back(state_[flow].holder == link ? limit_elsewhere(flow, link)
                                                  : state_[flow].rate);
  double level = 0;
  for (std::size_t open = limits_.size();;) {
    double left = c.capacity;
    std::size_t above = 0;
    for (const double limit : limits_)
      if (limit > level)
        ++above;
      else
        left -= limit;
    if (above == 0) return kInfinite;
    if (above == open && level > 0) return level;
    open = above;
    level = std::max(level, left / static_cast<double>(above));
    if (level == 0) return 0;
  }
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

void IncrementalMaxMin::lower(Link link, double level) {
  channel(link).level = level;
  for (const Flow flow : channel(link).flows)
    if (rate(flow) > level) {
      set_rate(flow, level, link);
      wait_for(flow, link, false);
    }
}

void IncrementalMaxMin::raise(Link link, double level) {
  channel(link).level = level;
  for (const Flow flow : channel(link).flows)
    if (state_[flow].holder == link) {
      const Limit limit = limit_of(flow);
      set_rate(flow, limit.rate, limit.link);
      wait_for(flow, link, true);
    }
}

// The other shared links of a flow whose rate has changed are computed again. A link that is not full
// remains so with slower flows.
void IncrementalMaxMin::wait_for(Flow flow, Link changed, bool faster) {
  for (const Link link : route(flow)) {
    const Channel& c = channel(link);
    if (link != changed && c.flows.size() > 1 && (faster || c.level < kInfinite)) wait(link);
  }
}

}  // namespace arlab::simulator
