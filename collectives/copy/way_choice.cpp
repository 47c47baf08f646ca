#include "collectives/copy/way_choice.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace arlab::collectives {

std::size_t WayChoice::class_of(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width(bytes | 1) - 1);
}

// A size of which nothing is known begins with what is known of half of it.
WayChoice::Size& WayChoice::size_of(std::size_t bytes) {
  const std::size_t at = class_of(bytes);
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

bool WayChoice::Size::knows_all(std::size_t ways) const {
  return std::all_of(cost.begin(), cost.begin() + static_cast<std::ptrdiff_t>(ways),
                     [](double c) { return c > 0; });
}

// Of the next way that suits.
template <class Suits>
WayChoice::Pick WayChoice::Size::begin_trial(std::size_t ways, Suits suits) {
  do tried = (tried + 1) % ways;
  while (!suits(tried));
  left = kTrial - 1;
  return {static_cast<Way>(tried), false};
}

WayChoice::Pick WayChoice::pick(std::size_t bytes, bool may_read) {
  Size& its = size_of(bytes);
  const std::size_t ways = may_read ? kWays : kWays - 1;
  if (its.left > 0 && its.tried < ways) {
    --its.left;
    return {static_cast<Way>(its.tried), true};
  }
  const std::uint32_t pick = its.picks++;
  // If reports get lost, a way may stay unknown.
  if (!its.knows_all(ways) && (pick < kOften || pick % kOften == 0))
    return its.begin_trial(ways, [&](std::size_t way) { return its.cost[way] == 0; });
  const std::size_t best = its.cheapest(ways);
  if (pick < its.next_trial)
    return {static_cast<Way>(best), !its.is_own[best] || pick % kOften == 0};
  its.next_trial = pick + its.interval;
  its.interval = std::min(2 * its.interval, kRarely);
  return its.begin_trial(ways, [&](std::size_t way) { return way != best; });
}

void WayChoice::learn(std::size_t bytes, Way way, double time) {
  Size& its = size_of(bytes);
  const double now = std::max(time, 1e-9) / static_cast<double>(std::max<std::size_t>(bytes, 1));
  const auto at = static_cast<std::size_t>(way);
  double& cost = its.cost[at];
  if (!std::exchange(its.is_own[at], true)) {
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
