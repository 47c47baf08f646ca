// Pipeline: batches of a worker, made ahead of time by a thread, and how long they were waited for.
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
  Count global = 0;  ///< samples of all workers in this step: what a loss is divided by
  Count samples = 0;
  std::vector<float> values;         ///< samples x channels x height x width
  std::vector<std::int64_t> labels;  ///< samples
};

struct InputTime {
  double waited = 0;  ///< seconds that next() kept its caller waiting
  double made = 0;    ///< seconds that making batches took, wherever that happened
};

class Pipeline {
 public:
  /// Fills in samples and files of `sampling` from the data set. `prefetch` batches at most are
  /// made ahead by one thread; with 0 they are made in next().
  Pipeline(Dataset dataset, Sampling sampling, int prefetch = 2);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// The batch of position(), which moves on; after the last of an epoch comes the first of the
  /// next. Rethrows what the data set threw.
  Batch next();

  Position position() const { return position_; }
  /// Throws Error(usage) for a step that the epoch does not have.
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

  mutable std::mutex mutex_;  // of all that follow
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  double made_ = 0;
  bool stopping_ = false;
  std::thread maker_;
};

}  // namespace arlab::training
