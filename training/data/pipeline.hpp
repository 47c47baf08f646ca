// Pipeline: makes a worker's batches ahead of time on a thread, and measures the waiting time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "training/data/dataset.hpp"
#include "training/data/sampler.hpp"

namespace arlab::training {

struct Batch {
  Position position;
  Count global = 0;  ///< samples of all workers in this step, the divisor of a loss
  Count samples = 0;
  std::vector<float> values;         ///< samples x channels x height x width
  std::vector<std::int64_t> labels;  ///< one per sample
};

struct InputTime {
  double waited = 0;  ///< seconds in which next() waited for a batch
  double made = 0;    ///< seconds spent on making batches, on any thread
};

class Pipeline {
 public:
  /// Sets samples and files of `sampling` from the data set. A thread makes at most `prefetch`
  /// batches ahead; with 0, next() makes them.
  Pipeline(Dataset dataset, Sampling sampling, int prefetch = 2);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Returns the batch at position() and advances it, into the next epoch after the last batch of an
  /// epoch. Rethrows errors of the data set.
  Batch next();

  Position position() const { return position_; }
  /// Throws Error(usage) for a step beyond the epoch.
  void seek(Position position);

  Count steps() const { return sampler_.steps(); }
  const Dataset& dataset() const { return dataset_; }
  const Sampling& sampling() const { return sampler_.sampling(); }
  InputTime time() const;

 private:
  Batch make(Position position);
  void start();
  void stop();
  void make_ahead(Position from);

  Dataset dataset_;
  Sampler sampler_;
  std::size_t prefetch_;
  Position position_;
  double waited_ = 0;

  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  double made_ = 0;
  bool stopping_ = false;
  std::thread maker_;
};

}  // namespace arlab::training
