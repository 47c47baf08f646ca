// Exchange: runs the training's collectives, on a thread of its own while the backward pass goes
// on, or when they are waited for.
//
// Every collective says which one it is: step, bucket, slice and phase. Its messages travel on
// lanes made from that, so a rank that is out of step by less than some thirty buckets waits and is
// found out, and does not add one bucket into another. Collectives run one at a time, in the order
// in which they were started; gradients in the order that a scheduler chooses.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "training/exchange/route.hpp"
#include "training/schedulers/dispatcher.hpp"

namespace arlab::training {

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
  using Ticket = Dispatcher::Ticket;

  /// What the exchange has cost since the beginning, or since an earlier Usage.
  struct Usage {
    double seconds = 0;  ///< collectives under way
    double exposed = 0;  ///< the worker waited for them
    double codec = 0;    ///< of `seconds`: gradients were compressed and decompressed
    Count bytes = 0;     ///< sent by this rank
    Count collectives = 0;

    Usage operator-(const Usage& before) const {
      return {seconds - before.seconds, exposed - before.exposed, codec - before.codec,
              bytes - before.bytes, collectives - before.collectives};
    }
  };

  /// Called after each collective, where it ran, with the communicator's time.
  using Observer = std::function<void(const CollectiveId&, double begin, double end)>;

  /// overlap: on a thread of its own. The communicator must outlive the exchange, and is used by
  /// nobody else while anything is under way.
  Exchange(collectives::Communicator& communicator, Route route, bool overlap);

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

  /// From now on, gradients travel by this scheduler (see Dispatcher::schedule()); where one rank
  /// must lead, it is rank 0. Every rank calls it, when nothing is under way.
  void schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                const Values& values, Dispatcher::Carry carry);
  /// Waits for what is under way, and does nothing more: before what a carry works on goes.
  void stop() { dispatcher_.stop(); }
  void ready(int layer) { dispatcher_.ready(layer); }
  void wait_for(int layer);
  void wait_for_all();
  /// For a carry: runs one collective now, which counts as one. `codes`: what it does beside
  /// sending is making and reading codes.
  void run(const CollectiveId& id, const Task& task, std::span<float> data);
  void run(const CollectiveId& id, const std::function<void(collectives::Communicator&)>& codes);

  /// For all but collectives of float vectors; nothing may be under way.
  collectives::Communicator& communicator();
  collectives::Clock& clock() { return communicator_.clock(); }
  /// For a strategy that fails amid messages of its own, whose memory it frees.
  void abandon() noexcept { communicator_.abandon(); }
  /// For what else the worker waits for on the communicator.
  void add_usage(double seconds, Count bytes);

  const Route& route() const { return route_; }
  bool overlaps() const { return dispatcher_.has_thread(); }
  Usage usage() const;
  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  void note(const CollectiveId& id, double begin, const Usage& used);
  template <class Wait>
  void exposed(Wait wait);
  void tell(const Bundle* bundle);
  std::optional<Bundle> hear();

  collectives::Communicator& communicator_;
  const Route route_;
  Observer observer_;
  mutable std::mutex mutex_;
  Usage usage_;  // guarded by the mutex
  Dispatcher dispatcher_;
};

}  // namespace arlab::training
