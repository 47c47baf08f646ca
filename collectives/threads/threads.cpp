#include "collectives/threads/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/host/shared_slices.hpp"
#include "collectives/start_thread.hpp"
#include "collectives/threads/barrier.hpp"
#include "collectives/threads/canceled.hpp"
#include "collectives/threads/thread_round.hpp"

namespace arlab::collectives {
namespace {

/// Shared by the threads of all ranks.
struct World {
  World(Rank size, const Patience& how_long)
      : ranks(size),
        patience(how_long),
        channels(size),
        rendezvous(size),
        places(static_cast<std::size_t>(size)) {}

  void cancel(std::exception_ptr why) {
    {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::move(why);
    }
    canceled = true;
    for (EventCount& event_count : channels.event_counts) event_count.notify();
    rendezvous.cancel();
  }
  void throw_if_canceled() const {
    if (canceled) throw Canceled{};
  }
  void stall() {
    stalled = true;
    for (EventCount& event_count : channels.event_counts) event_count.notify();
    rendezvous.cancel();
  }
  /// `awaited()`: what the rank waits for.
  template <class Awaited>
  void throw_if_stalled(Rank me, Awaited awaited) const {
    throw_if_canceled();
    if (stalled)
      throw Stalled("rank " + std::to_string(me) + " waits for " + awaited() +
                    ": no rank has made progress for " + seconds_text(patience.seconds) +
                    ", and all wait for one another; verify the algorithm");
  }
  /// Changes whenever a rank makes progress, as long as all ranks that run sleep.
  std::uint64_t progress() const {
    std::uint64_t sum = static_cast<std::uint64_t>(rendezvous.epoch());
    for (const EventCount& event_count : channels.event_counts)
      sum += static_cast<std::uint64_t>(event_count.epoch());
    return sum;
  }

  const Rank ranks;
  const Patience patience;
  // Spinning a while is faster than sleeping, above all if every rank has a core.
  const int spins = ranks <= static_cast<Rank>(std::thread::hardware_concurrency()) ? 2000 : 200;
  ThreadChannels channels;
  AllreduceBarrier rendezvous;
  std::vector<Place> places;  // by rank
  std::atomic<bool> canceled = false, stalled = false;
  std::atomic<Rank> asleep = 0, running = 0;
  std::mutex failing;
  std::exception_ptr failure;
};

class ThreadCommunicator final : public Communicator, private Baseline {
 public:
  ThreadCommunicator(World& world, Rank me)
      : Communicator(me, world.ranks,
                     {.place = &world.places[static_cast<std::size_t>(me)],
                      .baseline = this,
                      .places = [this] { return all_places(); },
                      .check_ranks = [this] { world_.throw_if_canceled(); }}),
        world_(world) {}

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    or_withdraw([&] {
      for (const Transfer& t : round)
        expects(t.peer >= 0 && t.peer < ranks() && t.peer != rank(), "a peer must be another rank");
      const auto index = static_cast<std::size_t>(lane);
      if (index >= rounds_.size()) rounds_.resize(index + 1);
      rounds_[index].start(world_.channels, copy_, lane, rank(), round, operand);
      started_.push_back(lane);
    });
  }

  int wait() override {
    return or_withdraw([&] {
      expects(!started_.empty(), "wait() without a started lane");
      EventCount& event_count = world_.channels.event_count(rank());
      for (;;) {
        const int epoch_seen = event_count.epoch();
        world_.throw_if_canceled();
        const auto [done, any] = progress();
        if (done >= 0) return done;
        if (any || event_count.changes_soon(epoch_seen, world_.spins)) continue;
        if (std::none_of(started_.begin(), started_.end(),
                         [&](int other) { return round(other).stage_one(); }))
          sleep(event_count, epoch_seen);
        world_.throw_if_stalled(rank(), [this] { return awaited(); });
      }
    });
  }

  int poll() override {
    return or_withdraw([&] {
      world_.throw_if_canceled();
      return progress().first;
    });
  }

  void abandon() noexcept override {
    for (const int lane : started_) round(lane).withdraw();
    started_.clear();
  }

  void barrier() override { allreduce({}); }
  double max(double value) override { return allreduce({.largest = value}).largest; }
  Count sum(Count value) override { return allreduce({.sum = value}).sum; }

 private:
  // Baseline
  std::string name_of(const Problem& problem) const override {
    return problem.collective == Collective::allreduce ? kSharedSlices : "";
  }
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    if (problem.collective != Collective::allreduce)
      return Baseline::run(problem, from, into, operand);
    copy_vector(problem, from, into, operand);
    shared_slices(*this, into, problem.elements, operand, round_);
  }

  std::vector<SeenPlace> all_places() const {
    std::vector<SeenPlace> all;
    for (const Place& place : world_.places)
      all.push_back(SeenPlace::of(place, static_cast<Rank>(all.size()), false));
    return all;
  }

  ThreadRound& round(int lane) { return rounds_[static_cast<std::size_t>(lane)]; }

  /// Returns a lane that is done, else -1, and whether anything moved.
  std::pair<int, bool> progress() {
    bool any = false;
    for (auto lane = started_.begin(); lane != started_.end(); ++lane) {
      any |= round(*lane).progress();
      if (!round(*lane).done()) continue;
      const int done = *lane;
      started_.erase(lane);
      return {done, any};
    }
    return {-1, any};
  }

  AllreduceBarrier::Value allreduce(AllreduceBarrier::Value value) {
    return world_.rendezvous.allreduce(
        rank(), value, world_.spins,
        [&] { world_.throw_if_stalled(rank(), [] { return "all ranks to come to a barrier"; }); },
        [&](const EventCount& over, int epoch_seen) { sleep(over, epoch_seen); });
  }

  void sleep(const EventCount& event_count, int epoch_seen) {
    ++world_.asleep;
    event_count.wait(epoch_seen);
    --world_.asleep;
  }

  std::string awaited() {
    for (const int lane : started_)
      if (std::string text = round(lane).awaited(); !text.empty()) return text;
    return "messages";
  }

  /// No thread may read this rank's memory once an exception has left here.
  template <class Use>
  std::invoke_result_t<Use> or_withdraw(Use use) {
    try {
      return use();
    } catch (...) {
      abandon();
      throw;
    }
  }

  World& world_;
  MeasuredCopy copy_;
  std::vector<ThreadRound> rounds_;  // by lane
  std::vector<int> started_;
  std::vector<Transfer> round_;  // of the baseline
};

// Watches the ranks until the last one has ended. While all of them sleep, nothing else changes.
class StallWatch {
 public:
  explicit StallWatch(World& world) : world_(world) {
    if (world.patience.seconds > 0) thread_ = start_thread([this] { run(); });
  }
  ~StallWatch() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  StallWatch(const StallWatch&) = delete;

 private:
  void run() {
    const double tick = std::clamp(world_.patience.seconds / 20, 0.05, 1.0);
    double idle = 0;
    std::uint64_t progress = 0;
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, std::chrono::duration<double>(tick), [this] { return ends_; })) {
      const bool all_sleep = world_.running > 0 && world_.asleep == world_.running;
      idle = all_sleep && world_.progress() == progress ? idle + tick : 0;
      progress = world_.progress();
      if (idle >= world_.patience.seconds) world_.stall();
    }
  }

  World& world_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

void run(World& world, Rank me, const std::function<void(Communicator&)>& body) {
  try {
    ThreadCommunicator communicator(world, me);
    body(communicator);
  } catch (const Canceled&) {  // the failed rank reports the error
  } catch (...) {
    world.cancel(std::current_exception());
  }
  --world.running;
}

}  // namespace

void on_threads(Rank ranks, const std::function<void(Communicator&)>& body,
                const Patience& patience) {
  if (ranks < 1 || ranks > kMaxThreadRanks)
    fail(Blame::usage, std::to_string(ranks) + " ranks on threads: give 1 to " +
                           std::to_string(kMaxThreadRanks) + ", or use processes (MPI)");
  World world(ranks, patience);
  world.running = ranks;
  {
    const StallWatch watch(world);
    std::vector<std::jthread> threads;
    try {
      for (Rank me = 0; me < ranks; ++me) threads.emplace_back([&, me] { run(world, me, body); });
    } catch (const std::system_error& error) {
      world.cancel(std::make_exception_ptr(
          Error(Blame::environment, "cannot start " + std::to_string(ranks) +
                                        " threads: " + error.what() + "; use fewer ranks")));
    }
  }
  if (world.failure) std::rethrow_exception(world.failure);
}

}  // namespace arlab::collectives
