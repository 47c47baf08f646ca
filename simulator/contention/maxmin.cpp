#include "simulator/contention/maxmin.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

constexpr double kUnsettled = -1, kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kFew = 128;   // bounds: with fewer, a linear search is faster than a heap
constexpr std::size_t kLarge = 16;  // flows: with fewer, solving is as fast as comparing

double minimum(const std::vector<double>& values) {
  double min[4] = {kInfinite, kInfinite, kInfinite, kInfinite};  // a chain of each would be slow
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) min[k] = std::min(min[k], values[i + k]);
  for (; i < values.size(); ++i) min[0] = std::min(min[0], values[i]);
  return std::min(std::min(min[0], min[1]), std::min(min[2], min[3]));
}

}  // namespace

Shares MaxMin::solve(const Sharing& sharing) {
  if (sharing.limit.size() < kLarge) {
    solved_.begin.clear();
    fill(sharing);
  } else if (sharing != solved_) {
    solved_ = sharing;
    fill(sharing);
  }
  return {rate_, holder_};
}

void MaxMin::fill(const Sharing& s) {
  unsettled_ = s.limit.size();
  rate_.assign(unsettled_, kUnsettled);
  holder_.resize(unsettled_);
  left_ = s.capacity;
  list_flows(s);
  if (left_.size() + s.limit.size() <= kFew)
    fill_few(s);
  else
    fill_many(s);
}

// Chains the crossings of each link.
void MaxMin::list_flows(const Sharing& s) {
  first_.assign(s.capacity.size(), kNone);
  open_.assign(s.capacity.size(), 0);
  next_.resize(s.links.size());
  by_.resize(s.links.size());
  for (std::uint32_t f = 0; f < s.limit.size(); ++f)
    for (std::uint32_t k = s.begin[f]; k < s.begin[f + 1]; ++k) {
      const std::uint32_t l = s.links[k];
      by_[k] = f;
      next_[k] = std::exchange(first_[l], k);
      open_[l] += count(s, f);
    }
}

double MaxMin::share(std::uint32_t link) const {
  return open_[link] > 0 ? left_[link] / open_[link] : kInfinite;
}

// Repeatedly searches all bounds for the lowest.
void MaxMin::fill_few(const Sharing& s) {
  bounds_ = s.limit;
  for (std::uint32_t l = 0; l < left_.size(); ++l) bounds_.push_back(share(l));
  double* const shares = bounds_.data() + s.limit.size();
  while (unsettled_ > 0) {
    const double min = minimum(bounds_);
    const auto bound = std::find(bounds_.begin(), bounds_.end(), min) - bounds_.begin();
    settle_flows(s, {min, static_cast<std::uint32_t>(bound)},
                 [&](std::uint32_t l) { shares[l] = share(l); });
    bounds_[static_cast<std::size_t>(bound)] = kInfinite;
  }
}

void MaxMin::fill_many(const Sharing& s) {
  heap_.clear();
  const auto flows = static_cast<std::uint32_t>(s.limit.size());
  for (std::uint32_t f = 0; f < flows; ++f)
    if (s.limit[f] < kInfinite) heap_.push_back({s.limit[f], f});
  for (std::uint32_t l = 0; l < left_.size(); ++l)
    if (open_[l] > 0) heap_.push_back({share(l), flows + l});
  const auto later = std::greater<>();
  std::make_heap(heap_.begin(), heap_.end(), later);
  while (unsettled_ > 0) {
    expects(!heap_.empty(), "a flow without links and without a limit");
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Level level = heap_.back();
    heap_.pop_back();
    if (level.bound >= flows) {
      const std::uint32_t link = level.bound - flows;
      if (open_[link] == 0) continue;
      // Shares only grow as flows are settled: a stale level moves back.
      if (const double now = share(link); now > level.share) {
        heap_.push_back({now, level.bound});
        std::push_heap(heap_.begin(), heap_.end(), later);
        continue;
      }
    }
    settle_flows(s, level, [](std::uint32_t) {});
  }
}

// Settles the flow whose limit is reached, or those of the link that is full. Calls on_link for
// each link that they cross.
template <class OnLink>
void MaxMin::settle_flows(const Sharing& s, const Level& level, OnLink on_link) {
  expects(level.share < kInfinite, "a flow without links and without a limit");
  const auto flows = static_cast<std::uint32_t>(s.limit.size());
  if (level.bound < flows) return settle(s, level.bound, level.share, Shares::kLimit, on_link);
  const std::uint32_t link = level.bound - flows;
  for (std::uint32_t k = first_[link]; k != kNone; k = next_[k])
    settle(s, by_[k], level.share, link, on_link);
}

template <class OnLink>
void MaxMin::settle(const Sharing& s, std::uint32_t flow, double rate, std::uint32_t holder,
                    OnLink on_link) {
  if (rate_[flow] != kUnsettled) return;
  rate_[flow] = rate;
  holder_[flow] = holder;
  --unsettled_;
  const std::uint32_t flows = count(s, flow);
  for (std::uint32_t k = s.begin[flow]; k < s.begin[flow + 1]; ++k) {
    const std::uint32_t l = s.links[k];
    left_[l] = std::max(0.0, left_[l] - rate * flows);
    open_[l] -= flows;
    on_link(l);
  }
}

}  // namespace arlab::simulator
