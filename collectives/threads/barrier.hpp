// Meeting: where all threads wait for one another and agree on a maximum and a sum.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/threads/event_count.hpp"

namespace arlab::collectives {

class AllreduceBarrier {
 public:
  struct Value {
    double largest = -std::numeric_limits<double>::infinity();
    Count sum = 0;
  };

  explicit AllreduceBarrier(Rank ranks) : values_(static_cast<std::size_t>(ranks)) {}

  /// The last to come combines the values and wakes the others. `leave` is called whenever the
  /// caller may be about to wait or has waited; it may throw to leave a meeting that is off.
  template <class Leave>
  Value meet(Rank me, Value mine, int looks, Leave leave) {
    const int heard = over_.heard();
    leave();
    values_[static_cast<std::size_t>(me)] = mine;
    if (arrived_.fetch_add(1) + 1 == values_.size()) {
      result_ = {};
      for (const Value& value : values_)
        result_ = {std::max(result_.largest, value.largest), result_.sum + value.sum};
      arrived_.store(0);
      over_.ring();
    } else if (!over_.rings_soon(heard, looks)) {
      over_.wait(heard);
    }
    leave();
    return result_;
  }

  /// Wakes those who wait.
  void call_off() { over_.ring(); }

 private:
  std::vector<Value> values_;
  Value result_;
  std::atomic<std::size_t> arrived_ = 0;
  EventCount over_;
};

}  // namespace arlab::collectives
