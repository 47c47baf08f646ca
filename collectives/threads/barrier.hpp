// AllreduceBarrier: all threads wait for one another, and get the maximum and the sum of their
// values.
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

  /// The last thread combines the values and wakes the others. Calls `leave` before and after
  /// waiting; it may throw to leave a canceled barrier. sleep(over, epoch_seen) waits for `over`.
  template <class Leave, class Sleep>
  Value allreduce(Rank me, Value mine, int spins, Leave leave, Sleep sleep) {
    const int epoch_seen = over_.epoch();
    leave();
    values_[static_cast<std::size_t>(me)] = mine;
    if (arrived_.fetch_add(1) + 1 == values_.size()) {
      result_ = {};
      for (const Value& value : values_)
        result_ = {std::max(result_.largest, value.largest), result_.sum + value.sum};
      arrived_.store(0);
      over_.notify();
    } else if (!over_.changes_soon(epoch_seen, spins)) {
      sleep(over_, epoch_seen);
    }
    leave();
    return result_;
  }

  int epoch() const { return over_.epoch(); }
  /// Wakes the waiting threads.
  void cancel() { over_.notify(); }

 private:
  std::vector<Value> values_;
  Value result_;
  std::atomic<std::size_t> arrived_ = 0;
  EventCount over_;
};

}  // namespace arlab::collectives
