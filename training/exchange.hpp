// Exchange: runs the training's collectives, on a thread of its own while the backward pass goes
// on, or when they are waited for.
//
// Every collective says which one it is: step, bucket, slice and phase. Its messages travel on
// lanes made from that, so a rank that is out of step by less than some thirty buckets waits and is
// found out, and does not add one bucket into another. Collectives run one at a time, in the order
// in which they were started.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "training/route.hpp"

namespace arlab {

enum class Phase : std::uint8_t { gradient, weights, statistics };

/// The same on every rank for the same collective.
struct CollectiveId {
  Count step = 0;
  int bucket = 0;
  int slice = 0;
  Phase phase = Phase::gradient;
};
std::string name(const CollectiveId& id);  ///< "step 3 bucket 1 slice 0 gradient"

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;
  using Ticket = std::uint64_t;

  /// What the exchange has cost since the beginning, or since an earlier Usage.
  struct Usage {
    double seconds = 0;  ///< collectives under way
    double exposed = 0;  ///< the worker waited for them
    Count bytes = 0;     ///< sent by this rank
    Count collectives = 0;

    Usage operator-(const Usage& before) const {
      return {seconds - before.seconds, exposed - before.exposed, bytes - before.bytes,
              collectives - before.collectives};
    }
  };

  /// Called after each collective, on the thread that ran it.
  using Observer =
      std::function<void(const CollectiveId&, Clock::time_point begin, Clock::time_point end)>;

  /// overlap: on a thread of its own. The communicator must outlive the exchange, and is used by
  /// nobody else while a ticket is open.
  Exchange(Communicator& communicator, Route route, bool overlap);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Starts a collective on the data, in place; they are touched by nobody until wait(). Throws
  /// what an earlier collective has failed with.
  Ticket start(const CollectiveId& id, std::span<float> data) {
    return start(id, data, {route_, Collective::allreduce, 0});
  }
  /// Another collective, or by another route.
  struct Task {
    Route route;
    Collective collective = Collective::allreduce;
    Rank root = 0;
  };
  Ticket start(const CollectiveId& id, std::span<float> data, const Task& task);
  /// Returns when that collective and all before it are done.
  void wait(Ticket ticket);
  /// Sums over all ranks, at once; for use in a forward or backward pass.
  void sum(const CollectiveId& id, std::span<float> data) { wait(start(id, data)); }

  /// For all but collectives of float vectors; no ticket may be open.
  Communicator& communicator();
  /// For a strategy that fails amid messages of its own, whose memory it frees.
  void abandon() noexcept { communicator_.abandon(); }
  /// For what else the worker waits for on the communicator.
  void add_usage(double seconds, Count bytes);

  const Route& route() const { return route_; }
  bool overlaps() const { return thread_.joinable(); }
  Usage usage() const;
  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  struct Job {
    CollectiveId id;
    std::span<float> data;
    Task task;
  };

  void serve();
  void run(const Job& job);

  Communicator& communicator_;
  const Route route_;
  Observer observer_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // the first is under way
  Ticket started_ = 0, done_ = 0;
  std::exception_ptr failure_;
  bool stop_ = false;
  Usage usage_;
  std::thread thread_;
};

}  // namespace arlab
