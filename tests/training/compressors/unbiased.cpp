// Unbiased by Monte Carlo: the mean of many decoded codes is the gradient.
//
// The mean of 20000 trials must lie within 5.5 of its standard errors of every element. For an
// unbiased code, a fresh seed fails here less than once in 10^5 (4e-8 per element, 256 elements).
// The test detects a bias of a twentieth of one trial's standard deviation.
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr int kTrials = 20000;
constexpr Count kElements = 64;

/// Elements away from 0: an element that is sent once in 10^5 trials has no measurable mean.
std::vector<float> clear_gradient() {
  auto x = test::gradient(kElements);
  for (float& v : x) v += std::copysign(0.2f, v);
  return x;
}

double worst_deviation(const std::string& spec, std::span<const float> x) {
  const CompressorChoice choice = choose_compressor(spec);
  REQUIRE_FALSE(choice.feedback);
  const auto compressor = make_compressor(choice, flat(kElements), test::first_aggregation(choice));
  std::vector<double> sum(x.size()), squares(x.size());
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto out = test::through(*compressor, x, {.seed = 42, .step = trial});
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum[i] += double{out[i]} - double{x[i]};
      squares[i] += (double{out[i]} - double{x[i]}) * (double{out[i]} - double{x[i]});
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double mean = sum[i] / kTrials;
    const double variance = squares[i] / kTrials - mean * mean;
    if (variance < 1e-16)  // always the same value: must be the element itself
      worst = std::max(worst, std::fabs(mean) > 1e-6 ? 1e9 : 0.0);
    else
      worst = std::max(worst, std::fabs(mean) / std::sqrt(variance / kTrials));
  }
  return worst;
}

}  // namespace

TEST_CASE("QSGD, TernGrad, natural and random-k are unbiased") {
  const auto x = clear_gradient();
  for (const char* spec : {"qsgd:levels=7,bucket=20", "qsgd:levels=1", "terngrad:clip=0", "natural",
                           "randomk:ratio=0.25,feedback=off"}) {
    INFO(spec);
    CHECK(worst_deviation(spec, x) < 5.5);
  }
}

TEST_CASE(
    "that test covers all compressors that claim to be unbiased, and a biased code fails it") {
  std::string claimed;
  for (const CompressorKind& kind : compressors())
    if (kind.unbiased != "no") claimed += std::string(kind.name) + " ";
  CHECK(claimed == "natural qsgd randomk terngrad ");
  const auto x = clear_gradient();
  CHECK(worst_deviation("terngrad:clip=1", x) > 5.5);
  CHECK(worst_deviation("topk:ratio=0.25,feedback=off", x) > 5.5);
}

TEST_CASE("natural compression below its range is unbiased, too") {
  std::vector<float> x(kElements, 0x1p-95f);
  const auto compressor =
      make_compressor(choose_compressor("natural"), flat(kElements), Aggregation::all_gather);
  Count ups = 0;
  for (int trial = 0; trial < 1000; ++trial)
    for (const float v : test::through(*compressor, x, {.seed = 1, .step = trial})) {
      CHECK((v == 0 || v == 0x1p-94f));
      ups += v != 0;
    }
  CHECK(std::fabs(static_cast<double>(ups) - 32000) < 5 * std::sqrt(64000 * 0.25));
}
