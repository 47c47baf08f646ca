#include "simulator/engine/event_queue.hpp"

#include <queue>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Numbered {
  Time time{};
  int number = 0;  // in order of pushes
  bool operator>(const Numbered& other) const {
    return std::tie(time, number) > std::tie(other.time, other.number);
  }
  bool operator==(const Numbered&) const = default;
};

// Compares the queue with one that sorts by time and then by number: every pop must agree.
class Compared {
 public:
  void push(Time time) {
    const Numbered event{time, pushed_++};
    queue_.push(event);
    sorted_.push(event);
  }
  Time pop() {
    REQUIRE_FALSE(queue_.empty());
    const Numbered event = queue_.pop();
    REQUIRE(event == sorted_.top());
    sorted_.pop();
    REQUIRE(queue_.empty() == sorted_.empty());
    return event.time;
  }
  bool empty() const { return sorted_.empty(); }

 private:
  EventQueue<Numbered> queue_;
  std::priority_queue<Numbered, std::vector<Numbered>, std::greater<>> sorted_;
  int pushed_ = 0;
};

// A random step: often zero or short, sometimes up to 2^40 ps (about a second).
Time ahead(std::mt19937_64& random) {
  const auto bits = random() % 4 == 0 ? random() % 41 : random() % 4;
  return ps(static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits)));
}

}  // namespace

TEST_CASE("events leave in order of time, ties in order of insertion") {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Compared queue;
    Time now{};
    for (int burst = 0; burst < 60; ++burst) {
      for (auto pushes = random() % 200; pushes > 0; --pushes) queue.push(now + ahead(random));
      for (auto pops = random() % 200; pops > 0 && !queue.empty(); --pops) now = queue.pop();
    }
    while (!queue.empty()) queue.pop();
  }
}

TEST_CASE("many events of one time stay in order, including later insertions") {
  Compared queue;
  for (int i = 0; i < 5000; ++i) queue.push(7_ps);
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(queue.pop() == 7_ps);
    queue.push(i % 2 ? 7_ps : 1'000'000_ps);
  }
  while (!queue.empty()) queue.pop();
}

TEST_CASE("an empty queue continues from its last time") {
  Compared queue;
  for (const Time time : {0_ps, 0_ps, 1_ps, 1023_ps, 1024_ps, 1025_ps, 1'000'000'000_ps}) {
    queue.push(time);
    CHECK(queue.pop() == time);
  }
  CHECK(queue.empty());
}

TEST_CASE("times up to the latest are distinguished") {
  const Time half = ps(std::int64_t{1} << 61);
  Compared queue;
  for (const Time time : {kLatest, kLatest - 1_ps, half, 1_ps, kLatest, 0_ps}) queue.push(time);
  std::vector<Time> popped;
  while (!queue.empty()) popped.push_back(queue.pop());
  CHECK(popped == std::vector<Time>{0_ps, 1_ps, half, kLatest - 1_ps, kLatest, kLatest});
}

TEST_CASE(
    "an event in the past is an internal error, an event after the latest time a usage error") {
  EventQueue<Numbered> queue;
  queue.push({.time = 10_ps});
  queue.pop();
  const std::string past = "internal error, please report: an event lies in the past";
  CHECK(error_text(Blame::check, [&] { queue.push({.time = 9_ps}); }) == past);
  CHECK(error_text(Blame::check, [&] { queue.push({.time = -1_ps}); }) == past);
  CHECK(error_text(Blame::usage, [&] { queue.push({.time = kLatest + 1_ps}); }) ==
        "simulated time passes 46 days: use smaller sizes or rates");
  CHECK(queue.empty());
  queue.push({.time = 10_ps, .number = 1});
  CHECK(queue.pop() == Numbered{10_ps, 1});
}

TEST_CASE("upcoming() returns the events that are popped next") {
  EventQueue<Numbered> queue;
  for (int i = 0; i < 3000; ++i) queue.push({.time = ps(1 + i / 700), .number = i});
  CHECK(queue.upcoming(0) == nullptr);  // nothing is known before the first pop
  int known = 0;
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(queue.pop().number == i);
    for (const int steps : {0, 5, 12})
      if (const Numbered* event = queue.upcoming(static_cast<std::size_t>(steps))) {
        REQUIRE(event->number == i + 1 + steps);
        ++known;
      }
  }
  CHECK(known > 8000);
}
