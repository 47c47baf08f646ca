#include "algorithms/base/exponential.hpp"

#include <cmath>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;

namespace {

constexpr double kUnit = 1.0 / (std::int64_t{1} << kLogarithmBits);

long double expected(std::uint64_t bits) {
  return -std::log(static_cast<long double>(bits | 1) / 18446744073709551616.0L);
}

void check(std::uint64_t bits) {
  CAPTURE(bits);
  const std::int64_t log = minus_log(bits);
  REQUIRE(log >= 0);
  REQUIRE(std::abs(static_cast<long double>(log) * kUnit - expected(bits)) < 0x1p-51L);
}

}  // namespace

TEST_CASE("the logarithm of the lowest and the highest numbers") {
  CHECK(logarithm::kLog2 == 99'893'036'290'645'747);  // computed with Python: ln(2) 2^57
  CHECK(minus_log(~std::uint64_t{0}) <= 2);
  CHECK(std::abs(minus_log(std::uint64_t{1} << 63) - logarithm::kLog2) <= 2);
  CHECK(std::abs(minus_log(0) - 64 * logarithm::kLog2) <= 64);
  CHECK(minus_log(0) == minus_log(1));
}

TEST_CASE("the logarithm is right at both ends of each part, with any number of zeros") {
  for (std::uint64_t part = logarithm::kParts; part < 2 * logarithm::kParts; ++part)
    for (int zeros = 0; zeros < 64; zeros += 7)
      for (const std::uint64_t within :
           {std::uint64_t{0}, std::uint64_t{1} << 55, (std::uint64_t{1} << 56) - 1})
        check((part << 56 | within) >> zeros);
}

TEST_CASE("the logarithm falls where numbers rise, and is right for random ones") {
  const Random random(9);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random(i);
    check(bits);
    if (bits < ~std::uint64_t{0} - (std::uint64_t{1} << 54))
      REQUIRE(minus_log(bits + (std::uint64_t{1} << 54)) < minus_log(bits));
  }
}

TEST_CASE(
    "exponential times have their mean, and as many are below each multiple of it as should") {
  constexpr Time kMean{1'000'000};
  constexpr int kDraws = 100'000;
  const Random random(4);
  double sum = 0;
  int above[3] = {};
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const Time time = exponential_time(kMean, random(i));
    sum += picoseconds(time) / picoseconds(kMean);
    for (int k = 0; k < 3; ++k) above[k] += time > (k + 1) * kMean;
  }
  CHECK(sum / kDraws == Approx(1).margin(0.02));  // six standard deviations
  for (int k = 0; k < 3; ++k)
    CHECK(static_cast<double>(above[k]) / kDraws == Approx(std::exp(-(k + 1))).margin(0.01));
  CHECK(exponential_time(Time{1}, std::uint64_t{1} << 63) == Time{1});  // rounded
  CHECK(exponential_time(Time{1}, std::uint64_t{3} << 62) == Time{0});
  CHECK(exponential_time(Time{}, 0) == Time{});
}

TEST_CASE("an exponential time that is too long is an error") {
  CHECK(exponential_time(kLongest, ~std::uint64_t{0}) < Time{100});
  CHECK(refusal([] { exponential_time(kLongest, 0); }) ==
        "one simulated step would last over 11 days: use smaller sizes or rates");
}
