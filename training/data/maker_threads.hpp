// MakerThreads: how many threads make a worker's batches, chosen by hill climbing as the run goes,
// as tf.data's AUTOTUNE does.
#pragma once

#include <algorithm>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct MakerThreads {
  int least = 1, most = 1;  ///< equal: no choice
};

/// Adds a thread while batches come late, and takes it away again if they do not come faster.
class ThreadChoice {
 public:
  explicit ThreadChoice(MakerThreads range)
      : least_(std::max(1, range.least)), threads_(least_), most_(std::max(least_, range.most)) {}

  int threads() const { return threads_; }
  bool is_open() const { return least_ < most_; }

  /// What happened since the last decision.
  struct Measured {
    Count batches = 0;  ///< that were taken
    double seconds = 0;
    double waited = 0;  ///< of these, without a batch
  };

  void decide(const Measured& m) {
    constexpr double kLate = 0.05, kGain = 1.05;
    constexpr int kRest = 32;  // decisions after one that did not help, since the load may change
    const double rate = static_cast<double>(m.batches) / m.seconds;
    if (tries_ && rate < kGain * rate_before_) {
      --threads_;
      rest_ = kRest;
    }
    tries_ = false;
    if (rest_ > 0) {
      --rest_;
      return;
    }
    if (threads_ == most_ || m.waited < kLate * m.seconds) return;
    ++threads_;
    tries_ = true;
    rate_before_ = rate;
  }

 private:
  int least_, threads_, most_, rest_ = 0;
  bool tries_ = false;  // the last thread
  double rate_before_ = 0;
};

}  // namespace arlab::training
