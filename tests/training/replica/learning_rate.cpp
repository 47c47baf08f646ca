#include "training/replica/learning_rate.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("a constant rate does not change") {
  CHECK(rate_at({.base = 0.1}, 0, 10) == 0.1);
  CHECK(rate_at({.base = 0.1}, 12345, 10) == 0.1);
}

TEST_CASE("the rate drops by epoch according to the table") {
  const LearningRate rate{.decay = RateDecay::steps};
  const auto in_epoch = [&](Count epoch, Count step) {
    return rate_at(rate, 100 * epoch + step, 100);
  };
  for (const Count epoch : {0, 1, 2}) CHECK(in_epoch(epoch, 99) == Approx(1e-3));
  for (const Count epoch : {3, 4, 6}) CHECK(in_epoch(epoch, 0) == Approx(1e-4));
  CHECK(in_epoch(6, 99) == Approx(1e-4));
  for (const Count epoch : {7, 8, 1000}) CHECK(in_epoch(epoch, 0) == Approx(1e-5));
}

TEST_CASE("n workers scale the rate by n or sqrt(n)") {
  LearningRate rate{.base = 0.1, .workers = 4};
  CHECK(rate_at(rate, 0, 10) == Approx(0.1));
  rate.scaling = RateScaling::linear;
  CHECK(rate_at(rate, 0, 10) == Approx(0.4));
  rate.scaling = RateScaling::sqrt;
  CHECK(rate_at(rate, 0, 10) == Approx(0.2));
  rate.decay = RateDecay::steps;
  CHECK(rate_at(rate, 30, 10) == Approx(0.02));
}

TEST_CASE("a warm-up rises from the rate of one worker to that of all, step by step") {
  const LearningRate rate{.base = 0.1, .scaling = RateScaling::linear, .workers = 9, .warm_up = 2};
  CHECK(rate_at(rate, 0, 10) == Approx(0.1));
  CHECK(rate_at(rate, 5, 10) == Approx(0.3));
  CHECK(rate_at(rate, 10, 10) == Approx(0.5));
  CHECK(rate_at(rate, 19, 10) == Approx(0.86));
  CHECK(rate_at(rate, 20, 10) == Approx(0.9));
  CHECK(rate_at(rate, 500, 10) == Approx(0.9));
}

TEST_CASE("a cosine starts after the warm-up, is halfway down in the middle and ends at 0") {
  const LearningRate rate{.base = 0.2, .warm_up = 1, .decay = RateDecay::cosine, .epochs = 5};
  CHECK(rate_at(rate, 50, 100) == Approx(0.2));
  CHECK(rate_at(rate, 100, 100) == Approx(0.2));
  CHECK(rate_at(rate, 200, 100) == Approx(0.2 * (1 + 0.70710678) / 2));
  CHECK(rate_at(rate, 300, 100) == Approx(0.1));
  CHECK(rate_at(rate, 500, 100) == Approx(0).margin(1e-15));
  CHECK(rate_at(rate, 900, 100) == Approx(0).margin(1e-15));
}

TEST_CASE("rejects invalid rates, naming the value") {
  const auto said = [](LearningRate rate) { return failure([&] { check(rate); }); };
  CHECK(said({}).empty());
  CHECK(said({.base = -0.5}) ==
        "2: a learning rate of -0.500000 is not positive: use one above 0, such as 0.001");
  CHECK(said({.base = std::numeric_limits<double>::quiet_NaN()}).find("is not positive") !=
        std::string::npos);
  CHECK(said({.base = std::numeric_limits<double>::infinity()}).find("is not positive") !=
        std::string::npos);
  CHECK(said({.workers = 0}).find("0 workers") != std::string::npos);
  CHECK(said({.warm_up = -1}).find("a warm-up of -1.000000 epochs") != std::string::npos);
  CHECK(said({.warm_up = 3, .decay = RateDecay::cosine, .epochs = 3}).find("ends before") !=
        std::string::npos);
  CHECK(said({.drops = {{5, 0.1}, {3, 0.01}}}) ==
        "2: a drop of 0.010000 at epoch 3.000000 is out of order or negative: use rising epochs "
        "and factors "
        "of 0 or more");
  CHECK(said({.drops = {{std::numeric_limits<double>::infinity(), 0.1}}}).find("a drop of") !=
        std::string::npos);
  CHECK(said({.drops = {{5, -0.1}}}).find("a drop of -0.1") != std::string::npos);
}

TEST_CASE("scalings and decays have names") {
  for (const auto s : {RateScaling::none, RateScaling::linear, RateScaling::sqrt})
    CHECK(find_rate_scaling(name(s)) == s);
  for (const auto d : {RateDecay::constant, RateDecay::steps, RateDecay::cosine})
    CHECK(find_rate_decay(name(d)) == d);
  CHECK(failure([] { find_rate_scaling("square"); }) ==
        "2: unknown learning-rate scaling 'square': use none, linear or sqrt");
  CHECK(failure([] { find_rate_decay("step"); }) ==
        "2: unknown learning-rate decay 'step': use constant, steps or cosine");
}
