// 1-bit Adam with dead elements: those whose gradients are always or nearly always 0.
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kElements = 300;

/// A third of the elements is always 0, and another third is not 0 in one of 20 steps.
std::vector<float> with_dead_elements(int step) {
  auto x = test::gradient(kElements, 0, step);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i % 3 == 0 || (i % 3 == 1 && step % 20 != 3)) x[i] = 0;
  return x;
}

/// Trains weights with plain SGD at a rate of 1. Returns the largest step of an element and the
/// largest weight, each of element i for which i % 3 is `which`.
std::pair<double, double> largest(const std::string& spec, std::size_t which, int steps) {
  const auto compressor =
      make_compressor(choose_compressor(spec), flat(kElements), Aggregation::requantize);
  std::vector<double> weights(kElements);
  double moved = 0, weight = 0;
  for (int step = 0; step < steps; ++step) {
    auto out = test::through(*compressor, with_dead_elements(step), {.step = step});
    compressor->finish(out, {.step = step});
    for (std::size_t i = which; i < out.size(); i += 3) {
      weights[i] += double{out[i]};
      moved = std::max(moved, std::fabs(double{out[i]}));
      weight = std::max(weight, std::fabs(weights[i]));
    }
  }
  return {moved, weight};
}

}  // namespace

TEST_CASE("1-bit Adam does not move elements whose gradients were always 0 at the freeze") {
  for (const char* spec :
       {"onebit_adam:freeze=10", "onebit_adam:freeze=100", "onebit_adam:freeze=1"})
    CHECK(largest(spec, 0, 300) == std::pair(0.0, 0.0));
}

TEST_CASE("1-bit Adam's steps are bounded where a variance is nearly 0 when it is frozen") {
  // A code's magnitude is at most about the root of the mean variance; the floor is a tenth of
  // that.
  for (const char* spec : {"onebit_adam:freeze=10", "onebit_adam:freeze=100"})
    for (const std::size_t which : {1u, 2u}) CHECK(largest(spec, which, 300).first < 11);
  CHECK(largest("onebit_adam:freeze=3,floor=0", 1, 300).second == 0);  // dead until step 3
  const double floored = largest("onebit_adam:freeze=10", 1, 300).second;
  CHECK(floored > 0);
  CHECK(floored < 300);
}
