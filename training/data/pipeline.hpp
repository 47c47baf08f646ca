// Pipeline: makes a worker's batches ahead of time on threads, and measures the waiting time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "training/data/dataset.hpp"
#include "training/data/maker_threads.hpp"
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
  double made = 0;    ///< seconds spent on making batches, summed over threads
};

class Pipeline {
 public:
  /// Sets samples and files of `sampling` from the data set. Threads make at most `prefetch`
  /// batches ahead, and share the samples of a batch; with 0, next() makes them. Batches are the
  /// same for any number of threads.
  Pipeline(Dataset dataset, Sampling sampling, int prefetch = 2, MakerThreads threads = {});
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Returns the batch at position() and advances it, into the next epoch after the last batch of
  /// an epoch. Rethrows errors of the data set.
  Batch next();

  Position position() const { return position_; }
  /// Throws Error(usage) for a step beyond the epoch.
  void seek(Position position);

  Count steps() const { return sampler_.steps(); }
  const Dataset& dataset() const { return dataset_; }
  const Sampling& sampling() const { return sampler_.sampling(); }
  InputTime time() const;
  /// Returns the number of threads that make batches now; 0 if next() makes them.
  int threads() const { return prefetch_ == 0 ? 0 : choice_.threads(); }

 private:
  using Steady = std::chrono::steady_clock;
  // A batch, and which of its samples are begun and made.
  struct Making {
    Batch batch;
    std::vector<Count> indices;
    std::size_t begun = 0, made = 0;
    std::exception_ptr failure = {};
    bool is_complete() const { return failure || made == indices.size(); }
  };

  Making begin(Position position);
  void make(Making& m, std::size_t first, std::size_t last) const;
  void start();
  void stop();
  void make_ahead(int thread);
  bool make_some(std::unique_lock<std::mutex>& lock);
  Making* unfinished();
  bool may_begin() const;
  void choose(Count step, Steady::time_point asked, Steady::time_point got);
  void use_threads(int number);

  Dataset dataset_;
  Sampler sampler_;  // used by one thread at a time: the one that begins a batch
  std::size_t prefetch_;
  Position position_;
  double waited_ = 0;
  ThreadChoice choice_;
  ThreadChoice::Measured measured_;
  std::optional<Steady::time_point> measures_from_;  // in this epoch

  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::deque<Making> ahead_;  // by position; references stay valid while others come and go
  Position next_;             // the position after the last of these
  bool begins_ = false;       // a thread begins a batch
  int active_ = 0;            // threads that may work
  double made_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> makers_;  // only of the thread that calls next()
};

}  // namespace arlab::training
