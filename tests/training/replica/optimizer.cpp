#include "training/replica/optimizer.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

// Against PyTorch's optimizers: tests/training/models/torch.cpp.
TEST_CASE("weight decay is part of the gradient, before momentum") {
  std::vector<float> w{2, -4};
  const std::vector<float> g{1, 1};
  Optimizer optimizer(
      {.kind = OptimizerOptions::Kind::momentum, .momentum = 0.5F, .weight_decay = 0.25F}, 2);
  for (int step = 0; step < 2; ++step) {
    optimizer.start_step(0.5);
    optimizer.apply(0, w, g);
  }
  // 2: m = 1 + 0.25 x 2 = 1.5, w = 1.25; m = 0.75 + 1 + 0.3125, w = 1.25 - 1.03125.
  // -4: m = 1 - 1 = 0, w = -4; m = 0 + 0, w = -4.
  CHECK(w == std::vector<float>{0.21875F, -4});
}

TEST_CASE("senseless momentum and weight decay are refused") {
  const auto said = [](OptimizerOptions o) { return failure([&] { check(o); }); };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  CHECK(said({}).empty());
  CHECK(said({.momentum = 0, .weight_decay = 1}).empty());
  CHECK(said({.momentum = 1}).starts_with("2: a momentum of 1.000000"));
  for (const float bad : {-0.1F, kNan, kInfinity}) {
    CHECK(said({.momentum = bad}).starts_with("2: a momentum of "));
    CHECK(said({.weight_decay = bad}).starts_with("2: a weight decay of "));
  }
}
