// Simulated time: the durations of computations, messages and waits, computed by hand.
#include <array>
#include <latch>
#include <mutex>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/world.hpp"

using namespace emulated;

TEST_CASE("simulated time: computations take their declared time and overlap") {
  std::vector<Count> done(2), result(2);
  std::latch both(2);
  const EmulationResult outcome = run(2, [&](Communicator& c) {
    const auto me = static_cast<std::size_t>(c.rank());
    std::vector<float> mine(1000, static_cast<float>(me + 1)), theirs(1000);
    c.clock().begin_compute(c.rank() == 0 ? 3 * kMs : 5 * kMs);
    both.arrive_and_wait();  // returns only if both compute at the same time
    c.clock().end_compute();
    done[me] = now_us(c);
    start(c, 0,
          {transfer(ActionKind::send, 1 - c.rank(), mine),
           transfer(ActionKind::replace, 1 - c.rank(), theirs)});
    c.wait();
    result[me] = static_cast<Count>(theirs[999]);
    if (c.rank() == 0) compute(c, 2 * kMs);
  });
  CHECK(done == std::vector<Count>{3000, 5000});
  CHECK(result == std::vector<Count>{2, 1});
  // 1 ms + 4000 bytes, in both directions at once, from 5 ms on.
  CHECK(outcome.finish_of == std::vector<Time>{12 * 1000 * kMicrosecond, 10 * 1000 * kMicrosecond});
  CHECK(outcome.finish == outcome.finish_of[0]);
}

TEST_CASE("simulated time: messages travel while a rank computes") {
  std::vector<Count> times;
  run(2, [&](Communicator& c) {
    std::vector<float> values(1000);
    start(c, 0,
          {transfer(c.rank() == 0 ? ActionKind::send : ActionKind::replace, 1 - c.rank(), values)});
    compute(c, c.rank() == 0 ? 2 * kMs : 9 * kMs);
    c.wait();
    times.push_back(now_us(c));
  });
  CHECK(times == std::vector<Count>{5000, 9000});
}

TEST_CASE("simulated time: a barrier sets all ranks to the latest time, in rank order") {
  std::vector<std::tuple<Rank, Count, double, Count>> seen;
  run(4, [&](Communicator& c) {
    compute(c, (4 - c.rank()) * kMs);
    const double max = c.max(-1.0 - c.rank());
    const Count sum = c.sum(Count{1} << c.rank());
    c.barrier();
    seen.emplace_back(c.rank(), now_us(c), max, sum);
  });
  std::vector<std::tuple<Rank, Count, double, Count>> expected;
  for (Rank r = 0; r < 4; ++r) expected.emplace_back(r, 4000, -1.0, 15);
  CHECK(seen == expected);
}

// Similar to Exchange: hands gradients to a second thread while the pass continues.
TEST_CASE("simulated time: a second thread of each rank communicates while the first computes") {
  using Moment = std::array<Count, 2>;
  std::vector<std::vector<Moment>> moves(2);
  std::vector<std::vector<float>> sums(2);
  std::vector<Count> waited_until(2);
  run(2, [&](Communicator& c) {
    const auto me = static_cast<std::size_t>(c.rank());
    std::mutex mutex;
    const auto changed = c.clock().condition();
    int ready = 0, done = 0;
    std::vector<std::vector<float>> buckets(3,
                                            std::vector<float>(500, 1.0F + static_cast<float>(me)));
    std::thread mover = c.clock().start([&] {
      std::unique_lock lock(mutex);
      while (done < 3) {
        while (ready <= done) changed.wait(lock);
        lock.unlock();
        const Count begin = now_us(c);
        auto& bucket = buckets[static_cast<std::size_t>(done)];
        start(c, done,
              {transfer(ActionKind::send, 1 - c.rank(), bucket),
               transfer(ActionKind::reduce, 1 - c.rank(), bucket)});
        c.wait();
        moves[me].push_back({begin, now_us(c)});
        lock.lock();
        ++done;
        changed.notify_all();
      }
    });
    for (int bucket = 0; bucket < 3; ++bucket) {
      compute(c, 2 * kMs);
      const std::lock_guard lock(mutex);
      ++ready;
      changed.notify_all();
    }
    {
      std::unique_lock lock(mutex);
      while (done < 3) changed.wait(lock);
      waited_until[me] = now_us(c);
    }
    c.clock().join(mover);
    for (const auto& bucket : buckets) sums[me].push_back(bucket[499]);
  });
  // A bucket takes 1 ms + 2000 bytes: the first is ready at 2 ms; the others wait for it.
  const std::vector<Moment> expected{{2000, 5000}, {5000, 8000}, {8000, 11000}};
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(moves[r] == expected);
    CHECK(waited_until[r] == 11000);
    CHECK(sums[r] == std::vector<float>{3, 3, 3});
  }
}

TEST_CASE("simulated time: waits end at their time or when notified, and joins with the thread") {
  std::vector<Count> times;
  bool early = false;
  run(1, [&](Communicator& c) {
    Clock& clock = c.clock();
    std::mutex mutex;
    const auto changed = clock.condition();
    std::unique_lock lock(mutex);
    for (const double until : {0.1, 0.1 + 1.0 / 3, 0.5}) {
      changed.wait_until(lock, until);
      early = early || clock.now() < until;
    }
    times.push_back(now_us(c));
    changed.wait_until(lock, 0.2);  // long past
    times.push_back(now_us(c));
    lock.unlock();
    std::thread other = clock.start([&] {
      compute(c, 0.25);
      const std::lock_guard inner(mutex);
      changed.notify_all();
      times.push_back(now_us(c));
    });
    lock.lock();
    changed.wait_until(lock, 100);
    times.push_back(now_us(c));
    lock.unlock();
    clock.join(other);
    std::thread third = clock.start([&] { compute(c, 0.5); });
    clock.join(third);
    times.push_back(now_us(c));
    compute(c, 200);  // past the obsolete alarm
    times.push_back(now_us(c));
  });
  CHECK_FALSE(early);
  CHECK(times == std::vector<Count>{500000, 500000, 750000, 750000, 1250000, 201250000});
}

TEST_CASE("simulated time: the seed determines the jitter of each rank and computation") {
  const auto times = [](std::uint64_t seed, double jitter) {
    return run(3,
               [](Communicator& c) {
                 for (int i = 0; i < 3; ++i) compute(c, kMs);
               },
               {.slowdown = {1, 2, 1}, .jitter = jitter, .seed = seed})
        .finish_of;
  };
  constexpr Time kThree = 3000 * kMicrosecond;
  CHECK(times(1, 0) == std::vector<Time>{kThree, 2 * kThree, kThree});
  const std::vector<Time> some = times(1, 0.5);
  CHECK(some == times(1, 0.5));
  CHECK(some != times(2, 0.5));
  CHECK(some[0] != some[2]);
  for (std::size_t r = 0; r < 3; ++r) {
    const Time min = r == 1 ? 2 * kThree : kThree;
    CHECK(some[r] > min);
    CHECK(some[r] < min * 3 / 2);
  }
}

TEST_CASE("simulated time: a slow rank also reduces slowly") {
  const auto finish = [](double slowdown) {
    const auto slow =
        make_network(find_model("alpha_beta"), {{"alpha", 0}, {"beta", 0}, {"gamma", 1000}}, 2);
    return on_emulated_ranks(*slow, 2,
                             [](Communicator& c) {
                               std::vector<float> values(100);
                               start(
                                   c, 0,
                                   {transfer(c.rank() == 0 ? ActionKind::send : ActionKind::reduce,
                                             1 - c.rank(), values)});
                               c.wait();
                             },
                             {.slowdown = {1, slowdown}})
        .finish;
  };
  CHECK(finish(1) == Time{400 * 1000});
  CHECK(finish(2.5) == kMicrosecond);
}
