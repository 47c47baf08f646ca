// Exchange: runs the collectives of training, on a separate thread during the backward pass, or
// when the worker waits for them.
//
// Step, bucket, slice and phase identify a collective and determine its lanes. So a rank up to
// about 30 buckets out of step blocks (and is reported) instead of reducing the wrong bucket.
// Collectives run one at a time in the order of their start; a scheduler chooses the order of
// gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "collectives/counting_communicator.hpp"
#include "training/exchange/route.hpp"
#include "training/schedulers/dispatcher.hpp"

namespace arlab::training {

enum class Phase : std::uint8_t { gradient, weights, statistics };

/// Identifies a collective; the same on every rank.
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

  /// The cost of the exchange since the beginning, or since an earlier Usage.
  struct Usage {
    double seconds = 0;  ///< in which a collective or its announcement was in progress
    double exposed = 0;  ///< in which the worker waited for collectives
    double codec = 0;    ///< part of `seconds`: compression and decompression
    Count bytes = 0;     ///< sent by this rank
    Count collectives = 0;

    Usage operator-(const Usage& before) const {
      return {seconds - before.seconds, exposed - before.exposed, codec - before.codec,
              bytes - before.bytes, collectives - before.collectives};
    }
  };

  /// Called after each collective on the thread that ran it, with the communicator's time and the
  /// bytes that this rank sent.
  using Observer = std::function<void(const CollectiveId&, double begin, double end, Count bytes)>;

  /// overlap: uses a separate thread. The communicator must outlive the exchange, and nobody else
  /// uses it while a collective is in progress.
  Exchange(collectives::Communicator& communicator, Route route, bool overlap);

  /// Starts a collective on the data, in place; nobody may access the data until wait(). Throws the
  /// error of an earlier collective.
  Ticket start(const CollectiveId& id, std::span<float> data) {
    return start(id, data, {route_, Collective::allreduce, 0});
  }
  /// The same for another collective or route.
  struct Task {
    Route route;
    Collective collective = Collective::allreduce;
    Rank root = 0;
  };
  Ticket start(const CollectiveId& id, std::span<float> data, const Task& task);
  /// What exchanges codes. What it does not send through the communicator, it adds there.
  using Codes = std::function<void(collectives::CountingCommunicator&)>;
  /// Starts what run() does with codes.
  Ticket start(const CollectiveId& id, Codes codes);
  /// Returns when that collective and all earlier ones are done.
  void wait(Ticket ticket);
  /// Sums over all ranks and waits; for use in a forward or backward pass.
  void sum(const CollectiveId& id, std::span<float> data) { wait(start(id, data)); }

  /// Exchanges gradients by this scheduler from now on (see Dispatcher::schedule()); if one rank
  /// must lead, it is rank 0. Every rank calls it while no collective is in progress.
  void schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                const Values& values, Dispatcher::Transmit transmit);
  /// Waits for the collective in progress and starts no others. Call it before destroying what
  /// `transmit` works on.
  void stop() { dispatcher_.stop(); }
  void ready(int layer) { dispatcher_.ready(layer); }
  void wait_for(int layer);
  void wait_for_all();
  /// For `transmit`: runs one collective now and counts it. Time that `codes` does not spend
  /// communicating counts as compression.
  void run(const CollectiveId& id, const Task& task, std::span<float> data);
  /// The same on floats in the memory of the route's device, once the events are done. Counts the
  /// time that the device took.
  void run_on_device(const CollectiveId& id, const Task& task, std::span<float> there,
                     std::span<const collectives::DeviceEvent> after);
  void run(const CollectiveId& id, const Codes& codes);

  /// For everything except collectives on floats. No collective may be in progress.
  collectives::Communicator& communicator();
  collectives::Clock& clock() { return communicator_.clock(); }
  /// For a strategy that fails while its own messages are in progress and frees their memory.
  void abandon() noexcept { communicator_.abandon(); }
  /// Adds other waiting time and traffic of the worker on the communicator, and coding within.
  void add_usage(double seconds, Count bytes, double codec = 0);

  const Route& route() const { return route_; }
  bool overlaps() const { return dispatcher_.has_thread(); }
  Usage usage() const;
  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  void note(const CollectiveId& id, double begin, const Usage& used);
  template <class Wait>
  void exposed(Wait wait);
  void broadcast_next(const Bundle* bundle);
  std::optional<Bundle> receive_next();

  collectives::Communicator& communicator_;
  const Route route_;
  Observer observer_;
  mutable std::mutex mutex_;
  Usage usage_;  // guarded by the mutex
  Dispatcher dispatcher_;
};

}  // namespace arlab::training
