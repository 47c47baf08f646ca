#include "collectives/copy/way_choice.hpp"

#include <algorithm>
#include <bit>

namespace arlab::collectives {

// A size of which nothing is known begins with what is known of half of it.
WayChoice::Size& WayChoice::size_of(std::size_t bytes) {
  const auto at = static_cast<std::size_t>(std::bit_width(bytes | 1) - 1);
  Size& its = sizes_[at];
  if (its.picks == 0 && at > 0) its.cost = sizes_[at - 1].cost;
  return its;
}

std::size_t WayChoice::Size::cheapest(std::size_t ways) const {
  std::size_t best = 0;
  for (std::size_t way = 1; way < ways; ++way)
    if (cost[way] > 0 && (cost[best] == 0 || cost[way] < cost[best])) best = way;
  return best;
}

WayChoice::Pick WayChoice::pick(std::size_t bytes, bool may_read) {
  Size& its = size_of(bytes);
  const std::size_t ways = may_read ? kWays : kWays - 1;
  const std::uint32_t pick = its.picks++;
  const auto way_of = [](std::size_t way) { return static_cast<Way>(way); };
  if (!its.is_known() || (may_read && its.cost[2] == 0)) {
    // In turns, though what was measured may be lost.
    if (pick < kFirstTrials * ways || pick % kOften < ways) return {way_of(pick % ways), true};
  }
  const std::size_t best = its.cheapest(ways);
  if (pick < its.next_trial) return {way_of(best), pick % kOften == 0};
  its.next_trial = pick + its.interval;
  its.interval = std::min(2 * its.interval, kRarely);
  its.tried = (its.tried + 1) % ways;
  if (its.tried == best) its.tried = (its.tried + 1) % ways;
  return {way_of(its.tried), true};
}

void WayChoice::learn(std::size_t bytes, Way way, double time) {
  Size& its = size_of(bytes);
  const double now = std::max(time, 1e-9) / static_cast<double>(std::max<std::size_t>(bytes, 1));
  double& cost = its.cost[static_cast<std::size_t>(way)];
  if (cost == 0) {
    cost = now;
    return;
  }
  // The rank or its peer may have been interrupted: what takes longer counts less.
  constexpr double kFaster = 0.5, kSlower = 0.2, kMuch = 1.5;
  if (now > kMuch * cost && its.interval > kOften) {  // has the machine changed?
    its.interval = kOften;
    its.next_trial = std::min(its.next_trial, its.picks + kOften);
  }
  cost += (now < cost ? kFaster : kSlower) * (now - cost);
}

}  // namespace arlab::collectives
