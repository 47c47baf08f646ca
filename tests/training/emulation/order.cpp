// The order in which emulated ranks see events; it is always the same.
#include <mutex>
#include <tuple>
#include <vector>

#include "collectives/host/execute.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world.hpp"

using namespace emulated;

TEST_CASE("emulated ranks: wait() returns lanes in order of completion, poll() those done now") {
  std::vector<int> lanes, polled;
  std::vector<Count> times;
  run(4,
      [&](Communicator& c) {
        std::vector<std::vector<float>> values(4, std::vector<float>(250));
        if (c.rank() > 0) {
          compute(c, 5 * kMs);  // times its slowdown
          start(c, c.rank(), {transfer(ActionKind::send, 0, values[0])});
          c.wait();
          return;
        }
        for (Rank r = 1; r < 4; ++r)
          start(c, r, {transfer(ActionKind::replace, r, values[static_cast<std::size_t>(r)])});
        polled.push_back(c.poll());
        for (int i = 0; i < 2; ++i) {
          lanes.push_back(c.wait());
          times.push_back(now_us(c));
        }
        polled.push_back(c.poll());
        compute(c, 100 * kMs);
        polled.push_back(c.poll());
        polled.push_back(c.poll());
      },
      {.slowdown = {1, 1, 3, 2}});
  CHECK(lanes == std::vector<int>{1, 3});
  CHECK(times == std::vector<Count>{7000, 12000});  // each 1 ms + 1000 bytes after it was sent
  CHECK(polled == std::vector<int>{-1, -1, 2, -1});
}

TEST_CASE("emulated ranks: simulated time advances during repeated polls") {
  std::vector<Count> times;
  run(2, [&](Communicator& c) {
    std::vector<float> values(1000);
    compute(c, c.rank() * 3 * kMs);
    start(c, 7,
          {transfer(c.rank() == 1 ? ActionKind::send : ActionKind::replace, 1 - c.rank(), values)});
    while (c.poll() != 7) {
    }
    times.push_back(now_us(c));
  });
  CHECK(times == std::vector<Count>{8000, 8000});
}

TEST_CASE("emulated ranks: a send has the value at its start, reductions apply in listed order") {
  std::vector<float> sum, heard(1);
  run(3, [&](Communicator& c) {
    std::vector<float> value{1e8F};
    if (c.rank() == 0) {
      start(c, 0,
            {transfer(ActionKind::reduce, 2, value), transfer(ActionKind::reduce, 1, value),
             transfer(ActionKind::send, 1, value)});
      c.wait();
      sum = value;
      return;
    }
    compute(c, c.rank() * kMs);  // rank 1's message arrives first
    value = {c.rank() == 1 ? 1.0F : -1e8F};
    std::vector<Transfer> round{transfer(ActionKind::send, 0, value)};
    if (c.rank() == 1) round.push_back(transfer(ActionKind::replace, 0, heard));
    start(c, 0, round);
    c.wait();
  });
  CHECK(sum == std::vector<float>{1});  // 0 if rank 1 were added first
  CHECK(heard == std::vector<float>{1e8F});
}

TEST_CASE("emulated ranks: messages of one round to one peer arrive in order") {
  constexpr Count kMessages = 40, kAll = kMessages * (kMessages + 1) / 2;
  int wrong = 0;
  run(4, [&](Communicator& c) {
    std::vector<std::int32_t> data(kAll, c.rank() == 0 ? 1 : 0);
    std::vector<Transfer> round;
    Count first = 0;
    for (Count n = 1; n <= kMessages; first += n++) {  // all of different lengths
      auto* const at = reinterpret_cast<std::byte*>(data.data() + first);
      if (c.rank() > 0) round.push_back({ActionKind::replace, 0, at, n});
      for (Rank to = 1; c.rank() == 0 && to < 4; ++to)
        round.push_back({ActionKind::send, to, at, n});
    }
    c.start(0, round, {DType::int32, Op::sum});
    c.wait();
    wrong += data == std::vector<std::int32_t>(kAll, 1) ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("emulated ranks: an empty round is done at once, even on the highest lane") {
  int lane = 0;
  run(1, [&](Communicator& c) {
    start(c, 4095, {});
    lane = c.wait();
  });
  CHECK(lane == 4095);
}

// Ranks of two threads each, on a network whose messages share ports; runs twice.
TEST_CASE("emulated ranks: two runs of many ranks with two threads each agree to the picosecond") {
  constexpr Rank kRanks = kThreadSanitizer ? 16 : 64;
  const auto train = [] {
    std::vector<std::vector<float>> weights(kRanks);
    EmulationOptions options{.slowdown = std::vector<double>(kRanks, 1), .jitter = 0.3, .seed = 7};
    options.slowdown[13] = 2;
    const auto loggops = make_network(find_model("loggops"), {{"gamma", 10}}, kRanks);
    const EmulationResult outcome = on_emulated_ranks(
        *loggops, kRanks,
        [&](Communicator& c) {
          std::mutex mutex;
          const auto changed = c.clock().condition();
          int given = 0, done = 0;
          std::vector<float> data(300);
          for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = 1.0F / static_cast<float>(i + 1 + static_cast<std::size_t>(c.rank()));
          std::thread mover = c.clock().start([&] {
            std::unique_lock lock(mutex);
            while (done < 2) {
              while (given <= done) changed.wait(lock);
              lock.unlock();
              execute(c, find_algorithm("ring"), {.ranks = kRanks, .elements = 300},
                      std::as_writable_bytes(std::span(data)), {}, 2);
              lock.lock();
              ++done;
              changed.notify_all();
            }
          });
          for (int step = 0; step < 2; ++step) {
            compute(c, kMs);
            std::unique_lock lock(mutex);
            ++given;
            changed.notify_all();
            while (done < given) changed.wait(lock);
          }
          c.clock().join(mover);
          weights[static_cast<std::size_t>(c.rank())] = data;
        },
        options);
    return std::tuple(outcome.finish_of, outcome.events, outcome.turns, weights);
  };
  const auto first = train();
  CHECK((first == train()));  // in parentheses, so that a failure does not print it
  CHECK(std::get<0>(first)[0] > 2 * 2000 * kMicrosecond);  // as slow as rank 13
  for (const auto& weights : std::get<3>(first)) CHECK(weights == std::get<3>(first)[0]);
}
