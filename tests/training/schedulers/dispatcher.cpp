// The schedulers in real time: every gradient is exchanged once per step, for any timing of threads.
#include "training/schedulers/dispatcher.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

const Profile kProfile{{"0", Time{}, Time{}, 1000, {}},
                       {"1", Time{}, Time{}, 0, {}},
                       {"2", Time{}, Time{}, 70'000, {}},
                       {"3", Time{}, Time{}, 5, {}}};

Values small(const SchedulerKind& kind) {
  Values values;
  for (const Parameter& p : kind.parameters) {
    if (p.name == "slice") values["slice"] = 40'000;
    if (p.name == "cycle") values["cycle"] = 2e8;
  }
  return values;
}

// Passes the leader's broadcasts to one follower, in order.
class Channel {
 public:
  void broadcast_next(const Bundle* bundle) {
    {
      const std::scoped_lock lock(mutex_);
      told_.push_back(bundle ? std::optional(*bundle) : std::nullopt);
    }
    changed_.notify_all();
  }
  std::optional<Bundle> receive_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return heard_ < told_.size(); });
    return told_[heard_++];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<Bundle>> told_;
  std::size_t heard_ = 0;
};

}  // namespace

TEST_CASE("every scheduler exchanges each gradient once per step, with and without a thread") {
  for (const SchedulerKind& kind : schedulers())
    for (const bool own_thread : {true, false}) {
      INFO(kind.name << (own_thread ? ", with a thread" : ", without"));
      Bytes allreduced = 0, scattered = 0, gathered = 0;
      const int steps = 5;
      {
        Dispatcher dispatcher(machine_clock(), own_thread);
        dispatcher.schedule(kind, kProfile, {}, small(kind), [&](const Bundle& bundle) {
          (bundle.collective == Collective::allreduce        ? allreduced
           : bundle.collective == Collective::reduce_scatter ? scattered
                                                             : gathered) += bundle.bytes();
        });
        for (int step = 0; step < steps; ++step) {
          for (int layer = 3; layer >= 0; --layer) dispatcher.ready(layer);
          for (int layer = 0; layer < 4; ++layer) dispatcher.wait_for(layer);
        }
        dispatcher.wait_for_all();
        CHECK(dispatcher.is_idle());
      }
      const Bytes all = 71'005 * kGradientBytes * steps;
      CHECK(scattered == gathered);
      CHECK(allreduced + gathered == all);
    }
}

// What all ranks can decide alone does not depend on when each of them is asked.
TEST_CASE("a scheduler with same_everywhere gives one order, whenever it is asked") {
  for (const SchedulerKind& kind : schedulers()) {
    if (!kind.same_everywhere) continue;
    INFO(kind.name);
    std::vector<Bundle> at_once, late;
    const auto asked = [&](Scheduler& scheduler, std::vector<Bundle>& given, bool done) {
      while (std::optional<Bundle> bundle = scheduler.next(Time{})) {
        given.push_back(*bundle);
        if (done) scheduler.done(*bundle, Time{});
      }
    };
    const auto first = make_scheduler(kind, kProfile, {}),
               second = make_scheduler(kind, kProfile, {});
    for (int step = 0; step < 3; ++step) {
      for (const int layer : {3, 1, 2, 0}) {
        first->ready(layer, Time{});
        asked(*first, at_once, false);
        second->ready(layer, (layer + 1) * kMicrosecond);
      }
      asked(*second, late, true);
    }
    CHECK_FALSE(at_once.empty());
    CHECK(at_once == late);
  }
}

TEST_CASE("followers execute the leader's order, including jobs") {
  const SchedulerKind& kind = find_scheduler("priority");
  Channel channel;
  std::vector<Bundle> led, followed;
  std::vector<std::size_t> led_jobs, followed_jobs;  // transmitted before each job
  Dispatcher leader(machine_clock(), true), follower(machine_clock(), true);
  follower.schedule(kind, kProfile, {}, small(kind),
                    [&](const Bundle& b) { followed.push_back(b); },
                    {.broadcast_next = {}, .receive_next = [&] { return channel.receive_next(); }});
  leader.schedule(
      kind, kProfile, {}, small(kind), [&](const Bundle& b) { led.push_back(b); },
      {.broadcast_next = [&](const Bundle* b) { channel.broadcast_next(b); }, .receive_next = {}});
  std::thread other([&] {
    for (int step = 0; step < 10; ++step) {
      for (const int layer : {0, 1, 2, 3}) follower.ready(layer);  // another order
      follower.wait(follower.start([&] { followed_jobs.push_back(followed.size()); }));
      follower.wait_for_all();
    }
  });
  for (int step = 0; step < 10; ++step) {
    for (const int layer : {3, 2, 1, 0}) leader.ready(layer);
    leader.wait(leader.start([&] { led_jobs.push_back(led.size()); }));
    leader.wait_for_all();
  }
  other.join();
  CHECK_FALSE(led.empty());
  CHECK(led == followed);
  CHECK(led_jobs == followed_jobs);
}

TEST_CASE("errors of an exchange reach all waiting calls") {
  for (const bool own_thread : {true, false}) {
    Dispatcher dispatcher(machine_clock(), own_thread);
    dispatcher.schedule(find_scheduler("fifo"), kProfile, {}, {},
                        [](const Bundle&) { fail(Blame::environment, "the link is down"); });
    dispatcher.ready(3);
    CHECK_THROWS_WITH(dispatcher.wait_for(3), "the link is down");
    CHECK_THROWS_WITH(dispatcher.wait_for_all(), "the link is down");
    CHECK_THROWS_WITH(dispatcher.start([] {}), "the link is down");
  }
}

TEST_CASE("jobs run in the order of their start") {
  for (const bool own_thread : {true, false}) {
    Dispatcher dispatcher(machine_clock(), own_thread);
    std::vector<int> done;
    Dispatcher::Ticket last = 0;
    for (int job = 0; job < 5; ++job) last = dispatcher.start([&, job] { done.push_back(job); });
    dispatcher.wait(last);
    CHECK(done == std::vector{0, 1, 2, 3, 4});
  }
}
