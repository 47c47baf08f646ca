// StartedRounds: the rounds of a communicator's lanes, and the lanes that are started and not done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace arlab::collectives {

template <class Round>
class StartedRounds {
 public:
  /// The round of a lane, which stays for the lane's next one.
  Round& of(int lane) {
    const auto index = static_cast<std::size_t>(lane);
    if (index >= rounds_.size()) rounds_.resize(index + 1);
    return rounds_[index];
  }

  void add(int lane) { started_.push_back(lane); }
  bool empty() const { return started_.empty(); }
  Round& first() { return of(started_.front()); }

  /// Returns a lane that is done, which is no longer started, else -1; and whether anything moved.
  std::pair<int, bool> progress() {
    bool any = false;
    for (auto lane = started_.begin(); lane != started_.end(); ++lane) {
      Round& round = of(*lane);
      any |= round.progress();
      if (!round.done()) continue;
      const int done = *lane;
      started_.erase(lane);
      return {done, any};
    }
    return {-1, any};
  }

  bool stage_one() {
    return std::any_of(started_.begin(), started_.end(),
                       [this](int lane) { return of(lane).stage_one(); });
  }

  std::size_t bytes_in_progress() {
    std::size_t bytes = 0;
    for (const int lane : started_) bytes += of(lane).bytes_in_progress();
    return bytes;
  }

  void abandon() noexcept {
    for (const int lane : started_) of(lane).abandon();
    started_.clear();
  }

 private:
  std::vector<Round> rounds_;  // by lane
  std::vector<int> started_;
};

}  // namespace arlab::collectives
