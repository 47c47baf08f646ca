#include "collectives/mpi/stall_detector.hpp"

#include <algorithm>

namespace arlab::collectives {

StallDetector::Verdict StallDetector::tick(std::span<const Seen> seen, int extra) {
  update(seen);
  const Known& own = known_[own_];
  if (own.idle == 0) next_note_ = limit_;
  // Ranks decide one after another, so that one of them reports for all.
  if (own.idle < limit_ + 2 * ranks_before(seen)) return {};
  if (another_fails(seen) && ++held_ < hold_) return {};
  return decide(seen, extra);
}

void StallDetector::update(std::span<const Seen> seen) {
  known_.resize(seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Known& k = known_[i];
    k.silent = seen[i].beats == k.beats ? k.silent + 1 : 0;
    const Activity its = seen[i].activity;
    const bool waits =
        its == Activity::waiting || its == Activity::resting || its == Activity::ended;
    const int idle = waits && seen[i].progress == k.progress ? k.idle + 1 : 0;
    if (i == own_ && idle == 0) longest_wait_ = std::max(longest_wait_, k.idle);
    k.idle = idle;
    k.beats = seen[i].beats;
    k.progress = seen[i].progress;
  }
}

bool StallDetector::another_fails(std::span<const Seen> seen) const {
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (i != own_ && seen[i].activity == Activity::failing && known_[i].silent < limit_)
      return true;
  return false;
}

int StallDetector::ranks_before(std::span<const Seen> seen) const {
  int before = 0;
  for (std::size_t i = 0; i < own_; ++i)
    before += !is_missing(seen[i], known_[i]) && known_[i].idle > 0 ? 1 : 0;
  return before;
}

StallDetector::Verdict StallDetector::decide(std::span<const Seen> seen, int extra) {
  std::vector<Rank> missing, slow;
  bool all_stuck = true;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (is_missing(seen[i], known_[i]))
      missing.push_back(seen[i].rank);
    else if (known_[i].idle == 0)
      slow.push_back(seen[i].rank);
    else if (known_[i].idle < limit_)
      all_stuck = false;
  }
  const int idle = known_[own_].idle;
  if (!missing.empty()) return {Kind::missing, std::move(missing), idle};
  if (!slow.empty()) {
    if (idle < next_note_ || ranks_before(seen) > 0) return {};
    next_note_ = 2 * idle;
    return {Kind::slow, std::move(slow), idle};
  }
  if (!all_stuck) return {};
  const bool sees_all = static_cast<Rank>(seen.size()) == job_ranks_;
  const int most = extra + (sees_all ? limit_ : std::max(limit_, 4 * longest_wait_));
  if (idle < most) return {};
  return {sees_all ? Kind::deadlock : Kind::silence, {}, idle};
}

}  // namespace arlab::collectives
