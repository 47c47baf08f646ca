#include "simulator/contention/maxmin.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

constexpr double kUnsettled = -1, kNone = std::numeric_limits<double>::infinity();
constexpr std::size_t kFew = 128;  // links: with fewer, a linear search is faster than a heap

}  // namespace

void MaxMin::list_flows(const Sharing& s) {
  const std::size_t links = s.capacity.size();
  first_.assign(links + 1, 0);
  for (const std::uint32_t l : s.links) ++first_[l + 1];
  for (std::size_t l = 0; l < links; ++l) first_[l + 1] += first_[l];
  flows_.resize(s.links.size());
  open_.assign(links, 0);
  for (std::uint32_t f = 0; f + 1 < s.begin.size(); ++f)
    for (std::uint32_t i = s.begin[f]; i < s.begin[f + 1]; ++i) {
      const std::uint32_t l = s.links[i];
      flows_[first_[l] + open_[l]++] = f;
    }
}

double MaxMin::share(std::uint32_t link) const {
  return open_[link] > 0 ? left_[link] / open_[link] : kNone;
}

Shares MaxMin::solve(const Sharing& sharing) {
  if (sharing != solved_) {
    solved_ = sharing;
    fill(sharing);
  }
  return {rate_, holder_};
}

void MaxMin::fill(const Sharing& s) {
  list_flows(s);
  rate_.assign(s.begin.size() - 1, kUnsettled);
  holder_.assign(rate_.size(), Shares::kCap);
  left_ = s.capacity;
  if (left_.size() <= kFew)
    fill_few(s);
  else
    fill_many(s);
  for (double& rate : rate_)
    if (rate == kUnsettled) {
      expects(s.cap > 0, "a flow without links and without a cap");
      rate = s.cap;
    }
}

// Repeatedly searches all links for the minimum share.
void MaxMin::fill_few(const Sharing& s) {
  share_.resize(left_.size());
  for (std::uint32_t l = 0; l < share_.size(); ++l) share_[l] = share(l);
  const double max = s.cap > 0 ? s.cap : kNone;
  for (;;) {
    double min = kNone;
    for (const double one : share_) min = std::min(min, one);
    if (min >= max) return;  // no link limits the remaining flows
    const auto link =
        static_cast<std::uint32_t>(std::find(share_.begin(), share_.end(), min) - share_.begin());
    settle_flows(s, {min, link}, [&](std::uint32_t l) { share_[l] = share(l); });
    share_[link] = kNone;
  }
}

void MaxMin::fill_many(const Sharing& s) {
  heap_.clear();
  const auto later = std::greater<>();
  for (std::uint32_t l = 0; l < left_.size(); ++l)
    if (open_[l] > 0) heap_.push_back({share(l), l});
  std::make_heap(heap_.begin(), heap_.end(), later);
  const double max = s.cap > 0 ? s.cap : kNone;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Level level = heap_.back();
    heap_.pop_back();
    if (open_[level.link] == 0) continue;
    // Shares only grow as flows are settled: a stale level moves back.
    if (const double now = share(level.link); now > level.share) {
      heap_.push_back({now, level.link});
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    if (level.share >= max) return;
    settle_flows(s, level, [](std::uint32_t) {});
  }
}

// The link is full: settles its flows, and calls on_link for each link that they cross.
template <class OnLink>
void MaxMin::settle_flows(const Sharing& s, const Level& level, OnLink on_link) {
  for (std::uint32_t i = first_[level.link]; i < first_[level.link + 1]; ++i) {
    const std::uint32_t f = flows_[i];
    if (rate_[f] != kUnsettled) continue;
    rate_[f] = level.share;
    holder_[f] = level.link;
    for (std::uint32_t k = s.begin[f]; k < s.begin[f + 1]; ++k) {
      const std::uint32_t l = s.links[k];
      left_[l] = std::max(0.0, left_[l] - level.share);
      --open_[l];
      on_link(l);
    }
  }
}

}  // namespace arlab::simulator
