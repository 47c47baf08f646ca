#include "simulator/contention/link_flaps.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"

namespace arlab::simulator {
namespace {

void check(const LinkFlap& flap) {
  if (!(flap.share >= 0 && flap.share <= 1))
    fail(Blame::usage, "a failing link would keep " + show_number(flap.share) +
                           " of its bandwidth: give a share from 0 to 1");
  if (flap.begin < Time{} || flap.length <= Time{} ||
      (flap.period != Time{} && flap.length >= flap.period))
    fail(Blame::usage, "a link would fail for " + show_picoseconds(picoseconds(flap.length)) +
                           " of each " + show_picoseconds(picoseconds(flap.period)) +
                           ": it must fail for longer than 0, and work for a part of the period");
}

}  // namespace

LinkFlaps::LinkFlaps(std::vector<LinkFlap> flaps)
    : flaps_(std::move(flaps)), is_active_(flaps_.size()) {
  std::stable_sort(flaps_.begin(), flaps_.end(),
                   [](const LinkFlap& a, const LinkFlap& b) { return a.link < b.link; });
  for (std::uint32_t f = 0; f < flaps_.size(); ++f) {
    check(flaps_[f]);
    changes_.set(f, flaps_[f].begin);
    longest_ = std::max({longest_, flaps_[f].period, flaps_[f].length});
  }
}

std::span<const LinkFlaps::Change> LinkFlaps::advance(Time now) {
  touched_.clear();
  result_.clear();
  while (next_time() <= now) {
    for (const std::uint32_t flap : changes_.take_next()) {
      touched_.push_back(flap);
      update(flap, now);
    }
  }
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t flap : touched_) {
    const std::int32_t link = flaps_[flap].link;
    if (!result_.empty() && result_.back().link == link) continue;
    result_.push_back({link, 1});
    const auto on_link = std::ranges::equal_range(flaps_, link, {}, &LinkFlap::link);
    for (const LinkFlap& other : on_link)
      if (is_active_[static_cast<std::size_t>(&other - flaps_.data())])
        result_.back().share *= other.share;
  }
  return result_;
}

// Finds whether the flap, which has begun, is active at `now`, and when that changes: however many
// periods have passed.
void LinkFlaps::update(std::uint32_t flap, Time now) {
  const LinkFlap& f = flaps_[flap];
  const Time since = now - f.begin, into = f.period > Time{} ? since % f.period : since;
  is_active_[flap] = into < f.length;
  if (is_active_[flap])
    changes_.set(flap, now + (f.length - into));
  else if (f.period > Time{})
    changes_.set(flap, now + (f.period - into));
}

bool Network::flap_links(std::vector<LinkFlap> flaps) {
  if (!traits_.flaps) return false;
  *traits_.flaps = LinkFlaps(std::move(flaps));
  // What shortcuts know are the bandwidths at the start.
  if (!traits_.flaps->empty()) traits_.shortcuts = nullptr;
  return true;
}

}  // namespace arlab::simulator
