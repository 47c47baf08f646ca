// The times of passes, with a clock that notes when a computation begins and ends.
#include "training/exchange/compute_model.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/text.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

/// Notes computations as their seconds, which are whole, and their ends as "|".
class NotingClock final : public collectives::Clock {
 public:
  double now() override { return 0; }
  void begin_compute(double seconds) override { noted_ += concat(" ", std::lround(seconds)); }
  void end_compute() override { noted_ += " |"; }
  std::thread start(std::function<void()>) override { return {}; }
  void join(std::thread&) override {}
  collectives::Condition condition() override { return {}; }
  /// Adds what a call does, after the computation before it has ended.
  void note(const std::string& text) { noted_ += " " + text; }
  std::string take() { return std::exchange(noted_, {}); }

 private:
  std::string noted_;
};

/// Shows the time until which one has slept last, and a quarter of a second more.
class LateClock final : public collectives::Clock {
 public:
  double now() override { return now_; }
  std::thread start(std::function<void()>) override { return {}; }
  void join(std::thread&) override {}
  collectives::Condition condition() override {
    return {{}, [this](std::unique_lock<std::mutex>&, double until) { now_ = until + 0.25; }, {}};
  }
  void pass(double seconds) { now_ += seconds; }

 private:
  double now_ = 1000;
};

std::vector<Variable> of_work(const std::vector<Count>& works) {
  std::vector<Variable> all;
  for (const Count work : works) all.push_back({.name = "v", .elements = 1, .work = work});
  return all;
}

}  // namespace

TEST_CASE("passes take one and two multiply-adds, from need to need and from ready to ready") {
  NotingClock clock;
  ComputeModel model(clock, of_work({100, 200, 400}), 100);  // 1, 2 and 4 s per sample
  const auto pass = [&](Count samples) {
    model.begin(samples);
    for (const std::size_t v : {0, 1, 2}) model.need(v, [&] { clock.note(concat("n", v)); });
    for (const std::size_t v : {2, 1, 0}) model.ready(v, [&] { clock.note(concat("r", v)); });
    return clock.take();
  };
  CHECK(pass(1) == " n0 1 | n1 2 | n2 12 | r2 4 | r1 2 | r0");
  CHECK(pass(3) == " n0 3 | n1 6 | n2 36 | r2 12 | r1 6 | r0");
}

TEST_CASE("without a speed, passes take no time") {
  NotingClock clock;
  ComputeModel model(clock, of_work({100}), 0);
  model.begin(8);
  model.need(0, [] {});
  model.ready(0, [] {});
  CHECK(clock.take() == " 0 |");
}

TEST_CASE("a sleep that ends late shortens those that follow it") {
  LateClock clock;
  ComputeModel model(clock, std::vector<PassTime>{{1, 1}, {1, 1}, {0.125, 1}}, true);
  std::vector<double> times;
  const auto note = [&] { times.push_back(clock.now() - 1000); };
  model.begin(1);
  for (const std::size_t v : {0, 1, 2})
    model.need(v, note);  // the last is followed by a backward pass
  for (const std::size_t v : {2, 1, 0}) model.ready(v, note);
  CHECK(times == std::vector<double>{0, 1.25, 2.25, 3.375, 4.375, 5.375});
  // What takes the time of three passes is made up for in those that follow.
  model.begin(1);
  const double begin = clock.now();
  model.need(0, [] {});
  clock.pass(3);
  for (const std::size_t v : {1, 2}) model.need(v, [] {});
  for (const std::size_t v : {2, 1, 0}) model.ready(v, [] {});
  CHECK(clock.now() - begin == 5.375);
}

TEST_CASE("backward passes follow the order of the step before") {
  NotingClock clock;
  ComputeModel model(clock, std::vector<PassTime>{{1, 10}, {2, 20}, {3, 30}});
  const auto pass = [&] {
    model.begin(5);  // a replay takes its times for any number of samples
    for (const std::size_t v : {0, 1, 2}) model.need(v, [&] { clock.note(concat("n", v)); });
    for (const std::size_t v : {1, 2, 0}) model.ready(v, [&] { clock.note(concat("r", v)); });
    return clock.take();
  };
  CHECK(pass() == " n0 1 | n1 2 | n2 33 | r1 20 | r2 10 | r0");
  CHECK(pass() == " n0 1 | n1 2 | n2 23 | r1 30 | r2 10 | r0");
}

TEST_CASE("announced backward passes begin when announced, each once and in their turn") {
  NotingClock clock;
  ComputeModel model(clock, std::vector<PassTime>{{1, 10}, {2, 20}, {3, 30}});
  const auto need = [&](std::size_t v) { model.need(v, [&] { clock.note(concat("n", v)); }); };
  const auto announce = [&](std::size_t v) {
    model.need_backward(v, [&] { clock.note(concat("b", v)); });
  };
  const auto ready = [&](std::size_t v) { model.ready(v, [&] { clock.note(concat("r", v)); }); };
  model.begin(1, true);
  for (const std::size_t v : {0, 1, 2}) need(v);
  for (const std::size_t v : {2, 1, 0}) {
    announce(v);
    ready(v);
  }
  CHECK(clock.take() == " n0 1 | n1 2 | n2 3 | b2 30 | r2 b1 20 | r1 b0 10 | r0");
  // Two at once: the second waits for its turn, and for the first.
  model.begin(1, true);
  for (const std::size_t v : {0, 1, 2}) need(v);
  announce(1);
  announce(2);
  ready(2);
  announce(0);
  ready(1);
  ready(0);
  CHECK(clock.take() == " n0 1 | n1 2 | n2 3 | b1 b2 30 | r2 20 | b0 r1 10 | r0");
}
