#include "simulator/maxmin.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "algorithms/error.hpp"

namespace arlab {

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

Shares MaxMin::solve(const Sharing& sharing) {
  if (sharing != posed_) {
    posed_ = sharing;
    fill(sharing);
  }
  return {rate_, holder_};
}

void MaxMin::fill(const Sharing& s) {
  constexpr double kUnsettled = -1;
  const std::size_t flows = s.begin.size() - 1;
  list_flows(s);
  rate_.assign(flows, kUnsettled);
  holder_.assign(flows, Shares::kCap);
  left_ = s.capacity;
  heap_.clear();
  const auto later = std::greater<>();
  const auto share = [&](std::uint32_t l) { return left_[l] / open_[l]; };
  for (std::uint32_t l = 0; l < s.capacity.size(); ++l)
    if (open_[l] > 0) heap_.push_back({share(l), l});
  std::make_heap(heap_.begin(), heap_.end(), later);
  const double cap = s.cap > 0 ? s.cap : std::numeric_limits<double>::infinity();
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Level level = heap_.back();
    heap_.pop_back();
    if (open_[level.link] == 0) continue;
    // Shares only grow as others are settled, so a level that is no longer true belongs further
    // back.
    if (const double now = share(level.link); now > level.share) {
      heap_.push_back({now, level.link});
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    if (level.share >= cap) break;  // no link holds anyone back any more
    for (std::uint32_t i = first_[level.link]; i < first_[level.link + 1]; ++i) {
      const std::uint32_t f = flows_[i];
      if (rate_[f] != kUnsettled) continue;
      rate_[f] = level.share;
      holder_[f] = level.link;
      for (std::uint32_t k = s.begin[f]; k < s.begin[f + 1]; ++k) {
        left_[s.links[k]] = std::max(0.0, left_[s.links[k]] - level.share);
        --open_[s.links[k]];
      }
    }
  }
  for (double& rate : rate_)
    if (rate == kUnsettled) {
      expects(s.cap > 0, "a flow without links and without a cap");
      rate = s.cap;
    }
}

}  // namespace arlab
