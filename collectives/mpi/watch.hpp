// Watch: a thread of an MPI process that notices when the job has stalled.
//
// It counts its own ticks, never the time of day: a job that is suspended and resumed as a whole,
// or a clock that is set, changes nothing. Per tick it beats on the PresenceBoard and looks at the
// other ranks of its machine. Once this rank has waited for as long as its patience without any
// progress:
//
// - a rank that has not beaten for as long is missing: the wait fails and names it;
// - if all ranks of the job wait, they wait for one another: the wait fails;
// - a rank that beats but does not communicate is slow: a note says so, and the wait continues;
// - ranks of other machines cannot be seen: the wait fails after the patience, or four times the
//   longest wait so far if that is longer.
//
// A call that cannot be interrupted, such as MPI_Allreduce, ends the process instead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collectives/mpi/presence.hpp"
#include "collectives/mpi/stall_detector.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {

class Watch {
 public:
  /// Starts the thread. `stop(text)` is called in it, if a call that cannot be interrupted stalls;
  /// it must end the process.
  Watch(Patience patience, std::function<void(const std::string&)> stop);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// All processes of the job call it together, after MPI has started.
  void join_job();

  /// While one lives, this rank waits and checks now and then.
  class Waiting {
   public:
    explicit Waiting(Watch& watch, std::size_t bytes = 0) : watch_(watch) {
      watch_.bytes_.store(bytes, std::memory_order_relaxed);
      watch_.waits_.store(true, std::memory_order_relaxed);
    }
    ~Waiting() { watch_.waits_.store(false, std::memory_order_relaxed); }
    Waiting(const Waiting&) = delete;

   private:
    Watch& watch_;
  };

  /// While one lives, this rank is in a call of that name that cannot be interrupted.
  class Blocked {
   public:
    Blocked(Watch& watch, const char* call, std::size_t bytes = 0) : waiting_(watch, bytes) {
      watch_ = &watch;
      watch.call_.store(call, std::memory_order_relaxed);
    }
    ~Blocked() {
      watch_->call_.store(nullptr, std::memory_order_relaxed);
      watch_->progressed();
    }

   private:
    Watch* watch_;
    Waiting waiting_;
  };

  /// While one lives, this rank does nothing, for as long as it takes: the others neither miss it
  /// nor wait for it.
  class Resting {
   public:
    explicit Resting(Watch& watch) : watch_(watch) { watch_.rests_ = true; }
    ~Resting() { watch_.rests_ = false; }
    Resting(const Resting&) = delete;

   private:
    Watch& watch_;
  };

  /// A request has started or finished. Calls of MPI are serialized, and so are these, which need
  /// no locked addition.
  void progressed() { advance(progress_); }
  /// A poll has found nothing: polls in one tick after another are a wait.
  void polled() { advance(polls_); }

  /// The place of this rank; null without a board, which is if it waits forever.
  Place* place() const { return board_ ? &board_->own().place : nullptr; }
  /// The places of the ranks of this machine, after a wait has failed.
  std::vector<SeenPlace> places() const;

  /// Throws Stalled once the job has stalled. `awaited()`: what this rank waits for.
  template <class Awaited>
  void check(Awaited awaited) {
    if (stalled_.load(std::memory_order_acquire)) give_up(awaited());
  }

 private:
  static void advance(std::atomic<std::uint64_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void run();
  void tick();
  void resume(const std::vector<Rank>& ranks) const;
  std::string text_of(const StallDetector::Verdict& verdict) const;
  [[noreturn]] void give_up(const std::string& awaited);

  const Patience patience_;
  const double tick_;  // seconds
  const std::function<void(const std::string&)> stop_;
  std::unique_ptr<PresenceBoard> board_;
  std::unique_ptr<StallDetector> detector_;
  std::uint64_t polls_seen_ = 0;
  int ticks_before_start_ = 0;
  std::string text_;           // of the verdict; written before stalled_
  std::vector<Rank> missing_;  // likewise

  std::atomic<std::uint64_t> progress_{0}, polls_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<const char*> call_{nullptr};
  std::atomic<bool> waits_{false}, rests_{false}, stalled_{false}, gives_up_{false};

  std::mutex mutex_;  // of what join_job() sets, and ends_
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace arlab::collectives
