// Clocks that disagree by known amounts: the models find them.
#include "collectives/host/clock_sync.hpp"

#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/relaying_communicator.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

// The machine's clock, set wrong and running fast or slow.
class Skewed final : public Clock {
 public:
  Skewed(double offset, double drift)
      : offset_(offset), drift_(drift), origin_(machine_clock().now()) {}
  double now() override { return of(machine_clock().now()); }
  double of(double machine) const { return machine + offset_ + drift_ * (machine - origin_); }
  std::thread start(std::function<void()> body) override {
    return machine_clock().start(std::move(body));
  }
  void join(std::thread& thread) override { machine_clock().join(thread); }
  Condition condition() override { return machine_clock().condition(); }

 private:
  double offset_, drift_, origin_;
};

// Shows given times, one after the other.
class Scripted final : public Clock {
 public:
  explicit Scripted(std::vector<double> times) : times_(std::move(times)) {}
  double now() override { return times_.at(next_++); }
  std::thread start(std::function<void()> body) override {
    return machine_clock().start(std::move(body));
  }
  void join(std::thread& thread) override { machine_clock().join(thread); }
  Condition condition() override { return machine_clock().condition(); }

 private:
  std::vector<double> times_;
  std::size_t next_ = 0;
};

// Ranks on machines of their own, or two by two.
class Distant final : public RelayingCommunicator {
 public:
  Distant(Communicator& inner, Clock& clock, Rank per_machine)
      : RelayingCommunicator(inner, {.clock = &clock}), per_machine_(per_machine) {}
  std::vector<Rank> machines() override {
    std::vector<Rank> all;
    for (Rank rank = 0; rank < ranks(); ++rank) all.push_back(rank / per_machine_);
    return all;
  }

 private:
  Rank per_machine_;
};

constexpr ClockSyncOptions kQuick{.points = 12, .pings = 10, .seconds = 0.03};

// The largest error of the models over the ranks, in seconds, right after they are learned; and
// what clock_deviation() finds when the clock of the last rank then jumps.
struct Found {
  double error = 0, deviation = 0, after_jump = 0;
};

Found found(Rank ranks, Rank per_machine, double jump = 0) {
  Found result;
  std::mutex mutex;
  on_threads(ranks, [&](Communicator& c) {
    const Rank machine = c.rank() / per_machine;
    Skewed clock(100.0 * machine, 1e-4 * machine), jumped(100.0 * machine + jump, 1e-4 * machine);
    Skewed reference(0, 0);
    Distant distant(c, clock, per_machine);
    const ClockModel model = synchronize_clocks(distant, kQuick);
    c.barrier();
    const double machine_time = machine_clock().now();
    const double error =
        std::abs(model.global(clock.of(machine_time)) - reference.of(machine_time));
    const double back = std::abs(model.local(model.global(5.0)) - 5.0);
    const double deviation = clock_deviation(distant, model);
    Distant later(c, machine == c.ranks() / per_machine - 1 ? jumped : clock, per_machine);
    const double after = clock_deviation(later, model);
    const std::lock_guard lock(mutex);
    result.error = std::max({result.error, error, back});
    result.deviation = deviation;
    result.after_jump = after;
  });
  return result;
}

// The best of a few tries: where another process takes the core amid an exchange, a model is off by
// as much.
Found best_found(Rank ranks, Rank per_machine, double jump = 0) {
  Found best = found(ranks, per_machine, jump);
  for (int more = 9; more > 0 && (best.error >= 300e-6 || best.deviation >= 1e-3); --more) {
    const Found next = found(ranks, per_machine, jump);
    best.error = std::min(best.error, next.error);
    best.deviation = std::min(best.deviation, next.deviation);
    if (std::abs(next.after_jump - jump) < std::abs(best.after_jump - jump))
      best.after_jump = next.after_jump;
  }
  return best;
}

// Checks that the models are right, to what the threads' turns on a core leave of the times; on a
// machine with more to do than it has cores, to what turns of milliseconds leave. The offsets are
// hundreds of seconds.
void check_found(const Found& best) {
  double load = 0;
  const bool busy = getloadavg(&load, 1) == 1 && load > std::thread::hardware_concurrency();
  const bool rough = busy && (best.error >= 300e-6 || best.deviation >= 1e-3);
  if (rough) WARN("checked to 20 ms only, since the machine is busy: load " << load);
  CHECK(best.error < (rough ? 20e-3 : 300e-6));
  CHECK(best.deviation < (rough ? 20e-3 : 1e-3));
}

}  // namespace

TEST_CASE("clock models: ranks of one machine need none") {
  on_threads(3, [](Communicator& c) {
    const ClockModel model = synchronize_clocks(c);
    if (model.offset != 0 || model.slope != 0 || clock_deviation(c, model) != 0)
      throw std::logic_error("the clock of one machine has a model");
  });
}

TEST_CASE("clock models: a line through the middles of the fastest exchanges of each point") {
  ClockModel model;
  on_threads(2, [&](Communicator& c) {
    // Rank 1 sees exchanges of 4, 2, and 3 s, from 10 s on and from 110 s on. In the middle of the
    // second one, at 21 and 121 s, rank 0 is ahead by 100 and 110 s; at the others it is far off.
    Scripted zero({500, 121, 600, 700, 231, 800}),
        one({10, 14, 20, 22, 30, 33, 110, 114, 120, 122, 130, 133});
    Distant distant(c, c.rank() == 0 ? static_cast<Clock&>(zero) : one, 1);
    const ClockModel mine = synchronize_clocks(distant, {.points = 2, .pings = 3, .seconds = 0});
    if (c.rank() == 1) model = mine;
  });
  CHECK(model.origin == Approx((21 + 121) / 2.));
  CHECK(model.offset == Approx((100 + 110) / 2.));
  CHECK(model.slope == Approx(0.1));
}

TEST_CASE("clock models: offsets of 100 s and drifts of 100 us per second are found, in a tree") {
  for (const Rank ranks : {2, 5, 8}) {
    INFO(ranks << " machines");
    check_found(best_found(ranks, 1));
  }
}

TEST_CASE("clock models: the ranks of a machine learn from its first") {
  check_found(best_found(6, 2));
}

TEST_CASE("clock models: a clock that jumps after the synchronization is seen") {
  const Found f = best_found(3, 1, 0.05);
  check_found(f);
  CHECK(f.after_jump == Approx(0.05).epsilon(0.1));
}
