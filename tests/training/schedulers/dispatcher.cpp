// The schedulers on a real clock: every gradient is exchanged once a step, whatever the threads do.
#include "training/schedulers/dispatcher.hpp"

#include <atomic>
#include <deque>

#include "tests/catch.hpp"

using namespace arlab;

namespace {

const Profile kProfile{
    {"0", 0, 0, 1000, {}}, {"1", 0, 0, 0, {}}, {"2", 0, 0, 70'000, {}}, {"3", 0, 0, 5, {}}};

Values small(const SchedulerKind& kind) {
  Values values;
  for (const Parameter& p : kind.parameters) {
    if (p.name == "slice") values["slice"] = 40'000;
    if (p.name == "cycle") values["cycle"] = 2e8;
  }
  return values;
}

// What one leader tells and the others hear, in order.
class Channel {
 public:
  void tell(const Bundle& bundle) {
    {
      const std::scoped_lock lock(mutex_);
      told_.push_back(bundle);
    }
    changed_.notify_all();
  }
  Bundle hear() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return heard_ < told_.size(); });
    return told_[heard_++];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Bundle> told_;
  std::size_t heard_ = 0;
};

}  // namespace

TEST_CASE("every scheduler exchanges each gradient once a step on a real clock") {
  for (const SchedulerKind& kind : schedulers()) {
    INFO(kind.name);
    Bytes allreduced = 0, scattered = 0, gathered = 0;
    const int steps = 5;
    {
      Dispatcher dispatcher(kind, kProfile, {}, small(kind), [&](const Bundle& bundle) {
        (bundle.collective == Collective::allreduce        ? allreduced
         : bundle.collective == Collective::reduce_scatter ? scattered
                                                           : gathered) += bundle.bytes();
      });
      for (int step = 0; step < steps; ++step) {
        for (int layer = 3; layer >= 0; --layer) dispatcher.ready(layer);
        for (int layer = 0; layer < 4; ++layer) dispatcher.wait(layer);
      }
    }
    const Bytes all = 71'005 * kGradientBytes * steps;
    CHECK(scattered == gathered);
    CHECK(allreduced + gathered == all);
  }
}

TEST_CASE("those who follow carry out the leader's order") {
  const SchedulerKind& kind = find_scheduler("priority");
  Channel channel;
  std::vector<Bundle> led, followed;
  {  // the follower waits for the leader's end, so it is the one that ends last
    Dispatcher follower(kind, kProfile, {}, small(kind),
                        [&](const Bundle& b) { followed.push_back(b); },
                        {.tell = {}, .hear = [&] { return channel.hear(); }});
    Dispatcher leader(kind, kProfile, {}, small(kind), [&](const Bundle& b) { led.push_back(b); },
                      {.tell = [&](const Bundle& b) { channel.tell(b); }, .hear = {}});
    std::thread other([&] {
      for (int step = 0; step < 10; ++step) {
        for (const int layer : {0, 1, 2, 3}) follower.ready(layer);  // another order
        follower.wait_all();
      }
    });
    for (int step = 0; step < 10; ++step) {
      for (const int layer : {3, 2, 1, 0}) leader.ready(layer);
      leader.wait_all();
    }
    other.join();
  }
  CHECK_FALSE(led.empty());
  CHECK(led == followed);
}

TEST_CASE("what an exchange throws reaches whoever waits") {
  Dispatcher dispatcher(find_scheduler("fifo"), kProfile, {}, {},
                        [](const Bundle&) { fail(Blame::environment, "the link is down"); });
  dispatcher.ready(3);
  CHECK_THROWS_WITH(dispatcher.wait(3), "the link is down");
  CHECK_THROWS_WITH(dispatcher.wait_all(), "the link is down");
}
