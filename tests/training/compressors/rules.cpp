// Each compressor's rule against a plain implementation from the paper, element by element.
#include <algorithm>
#include <bit>
#include <limits>

#include "collectives/reduce/half.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "training/compressors/aggregate.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;
using test::through;

namespace {

const auto kX = test::gradient(1003);

float mean_magnitude(std::span<const float> x) {
  double sum = 0;
  for (const float v : x) sum += std::fabs(double{v});
  return static_cast<float>(sum / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("fp16 and bf16 cast") {
  const auto halves = through("fp16", kX), bfloats = through("bf16", kX);
  Count wrong = 0;
  for (std::size_t i = 0; i < kX.size(); ++i)
    wrong += halves[i] != to_float(to_float16(kX[i])) || bfloats[i] != to_float(to_bfloat16(kX[i]));
  CHECK(wrong == 0);
}

TEST_CASE("fp16 divides by the ranks first, so that the sum stays in range") {
  const std::vector<float> x{60000};
  const auto compressor =
      make_compressor(choose_compressor("fp16"), flat(1), Aggregation::allreduce);
  const EncodeContext four{.ranks = 4};
  const auto code = compressor->encode(x, four);
  Float16 half;
  std::memcpy(&half, code.data(), sizeof half);
  CHECK(to_float(half) == 15000);
  std::vector<float> back(1);
  decode(*compressor, code, back, four);
  CHECK(back[0] == 60000);
}

TEST_CASE("int8 errs by at most half a step, and 0 stays 0") {
  auto x = kX;
  x[500] = 0;
  const auto out = through("int8:bucket=100", x);
  for (std::size_t b = 0; b < x.size(); b += 100) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(b);
    const auto last = x.begin() + static_cast<std::ptrdiff_t>(std::min(b + 100, x.size()));
    const double max = std::max(0.0f, *std::max_element(first, last));
    const double min = std::min(0.0f, *std::min_element(first, last));
    const double step = (max - min) / 255;
    double worst = 0;
    for (std::size_t i = b; i < std::min(b + 100, x.size()); ++i)
      worst = std::max(worst, std::fabs(double{x[i]} - double{out[i]}));
    CHECK(worst < 0.501 * step);
    CHECK(worst > 0.1 * step);  // it is not a copy
  }
  CHECK(out[500] == 0);
}

TEST_CASE("QSGD gives one of the two multiples of norm/levels around each element") {
  const int levels = 7;
  const auto out = through("qsgd:levels=7,bucket=100", kX, {.seed = 3});
  Count wrong = 0, up = 0;
  for (std::size_t b = 0; b < kX.size(); b += 100) {
    const std::size_t end = std::min(b + 100, kX.size());
    double square = 0;
    for (std::size_t i = b; i < end; ++i) square += double{kX[i]} * double{kX[i]};
    const double norm = std::sqrt(square);
    for (std::size_t i = b; i < end; ++i) {
      const double exact = std::fabs(double{kX[i]}) / norm * levels;
      const double level = std::fabs(double{out[i]}) / norm * levels;
      const double below = std::floor(exact);
      const bool lower = std::fabs(level - below) < 1e-4;
      const bool upper = std::fabs(level - below - 1) < 1e-4;
      wrong += !(lower || upper) || (out[i] != 0 && (out[i] < 0) != (kX[i] < 0));
      up += upper;
    }
  }
  CHECK(wrong == 0);
  CHECK(up > 0);
}

TEST_CASE("natural gives the power of two below or above") {
  const auto out = through("natural", kX, {.seed = 3});
  Count wrong = 0, up = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const float below = std::copysign(std::exp2(std::floor(std::log2(std::fabs(kX[i])))), kX[i]);
    wrong += out[i] != below && out[i] != 2 * below;
    up += out[i] == 2 * below;
  }
  CHECK(wrong == 0);
  CHECK(up > 200);
  CHECK(up < 800);
}

TEST_CASE("natural keeps 0 and the powers of two that it has: 2^-94 to 2^30") {
  std::vector<float> x{0};
  for (int exponent = -94; exponent <= 30; ++exponent)
    for (const float sign : {1.0F, -1.0F}) x.push_back(std::ldexp(sign, exponent));
  CHECK(through("natural", x, {.seed = 3}) == x);
}

TEST_CASE("TernGrad gives -s, 0 or s, with s clipped at 2.5 sigma") {
  double mean = 0, square = 0;
  for (const float v : kX) mean += double{v} / 1003;
  for (const float v : kX) square += (double{v} - mean) * (double{v} - mean) / 1003;
  float max = 0;
  for (const float v : kX) max = std::max(max, std::fabs(v));
  REQUIRE(max > 2.5 * std::sqrt(square));
  const auto out = through("terngrad", kX, {.seed = 3});
  Count wrong = 0, sent = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const bool is_s = std::fabs(std::fabs(double{out[i]}) - 2.5 * std::sqrt(square)) < 1e-5;
    wrong += !(out[i] == 0 || (is_s && std::signbit(out[i]) == std::signbit(kX[i])));
    wrong += std::fabs(double{kX[i]}) > 2.5 * std::sqrt(square) && out[i] == 0;  // must be s
    sent += out[i] != 0;
  }
  CHECK(wrong == 0);
  CHECK(sent > 100);
}

TEST_CASE("1-bit gives the means of the negative elements and of the rest") {
  double negative = 0, rest = 0;
  Count negatives = 0;
  for (const float v : kX) {
    (v < 0 ? negative : rest) += double{v};
    negatives += v < 0;
  }
  const auto out = through("onebit", kX);
  Count wrong = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const double mean = kX[i] < 0 ? negative / static_cast<double>(negatives)
                                  : rest / static_cast<double>(1003 - negatives);
    wrong += std::fabs(double{out[i]} - mean) > 1e-6;
  }
  CHECK(wrong == 0);
}

TEST_CASE("signSGD gives signs, EF-signSGD signs times the mean magnitude") {
  const auto plain = through("signsgd", kX), scaled = through("ef_signsgd", kX);
  const float mean = mean_magnitude(kX);
  Count wrong = 0;
  for (std::size_t i = 0; i < kX.size(); ++i)
    wrong += plain[i] != std::copysign(1.0f, kX[i]) ||
             std::fabs(scaled[i] - std::copysign(mean, kX[i])) > 1e-6f;
  CHECK(wrong == 0);
}

TEST_CASE("signSGD leaves an element where as many ranks send + as -") {
  constexpr int kTwice = 2;
  const CompressorChoice choice = choose_compressor("signsgd");
  for (const Aggregation aggregation : choice.kind->aggregations)
    for (const Rank ranks : {1, 2, 3, 4, 6, 7}) {
      INFO(name(aggregation) << ", " << ranks << " ranks");
      // Elements whose sign half of the ranks have, a majority, and one; and one without gradients.
      const auto sent = [&](Rank rank) {
        return std::vector<float>{rank < ranks / 2 ? 2.0f : -0.5f, rank <= ranks / 2 ? 0.1f : -9.0f,
                                  rank == 0 ? 3.0f : -3.0f, 0.0f};
      };
      const auto majority = [&](std::size_t element) {
        int votes = 0;
        for (Rank r = 0; r < ranks; ++r) votes += sent(r)[element] > 0 ? 1 : -1;
        return static_cast<float>(votes > 0 ? 1 : votes < 0 ? -1 : 0);
      };
      std::vector<float> got[kTwice];
      on_threads(ranks, [&](Communicator& communicator) {
        const Rank me = communicator.rank();
        const auto aggregator = make_aggregator(choice, flat(4), aggregation, ranks, me);
        for (int step = 0; step < kTwice; ++step) {
          std::vector<float> x = sent(me);
          aggregator.run(communicator, x, {.step = step, .rank = me, .ranks = ranks});
          if (me == 0) got[step] = x;
        }
      });
      for (std::size_t e : {0, 1, 2}) {
        CHECK(got[0][e] == majority(e));
        CHECK(got[1][e] == majority(e));
      }
      CHECK(got[0][3] + got[1][3] == 0);
      if (ranks % 2 == 0 || aggregation == Aggregation::allreduce) CHECK(got[0][3] == 0);
    }
}

TEST_CASE("top-k and threshold send large elements exactly, and nothing else") {
  std::vector<float> magnitudes;
  for (const float v : kX) magnitudes.push_back(std::fabs(v));
  std::sort(magnitudes.rbegin(), magnitudes.rend());
  const auto largest = through("topk:k=50", kX);
  const auto halves = through("topk:k=50,halves=1", kX);
  const auto above = through("threshold:tau=0.3", kX);
  Count wrong = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const bool is_large = std::fabs(kX[i]) >= magnitudes[49];
    wrong += largest[i] != (is_large ? kX[i] : 0.0f);
    wrong += halves[i] != (is_large ? to_float(to_float16(kX[i])) : 0.0f);
    wrong += above[i] != (std::fabs(kX[i]) > 0.3f ? kX[i] : 0.0f);
  }
  CHECK(wrong == 0);
}

TEST_CASE("threshold does not send elements equal to tau") {
  CHECK(through("threshold:tau=0.5", std::vector<float>{0.5f, -0.5f, 0.50000006f}) ==
        std::vector<float>{0, 0, 0.50000006f});
}

TEST_CASE("random-k draws k different positions, all equally often, the same on every rank") {
  const CompressorChoice choice = choose_compressor("randomk:k=10");
  const std::vector<float> ones(40, 1);
  std::vector<int> drawn(40);
  for (int step = 0; step < 2000; ++step) {
    const auto one = make_compressor(choice, flat(40), Aggregation::allreduce);
    const auto out = through(*one, ones, {.seed = 9, .step = step, .rank = 0});
    CHECK(std::count(out.begin(), out.end(), 1.0f) == 10);
    CHECK(through("randomk:k=10", ones, {.seed = 9, .step = step, .rank = 5}) == out);
    for (std::size_t i = 0; i < out.size(); ++i) drawn[i] += out[i] != 0;
  }
  for (const int times : drawn) CHECK(std::abs(times - 500) < 5 * std::sqrt(2000 * 0.25 * 0.75));
  CHECK(through("randomk:k=10", ones, {.seed = 9, .tensor = 1}) !=
        through("randomk:k=10", ones, {.seed = 9, .tensor = 2}));
}

TEST_CASE("1-bit Adam: Adam, then sign-compressed momentum with frozen variance") {
  constexpr Count n = 50;
  constexpr int kFreeze = 3;
  const auto compressor =
      make_compressor(choose_compressor("onebit_adam:freeze=3"), flat(n), Aggregation::requantize);
  std::vector<double> m(n), v(n), e(n);
  double worst = 0;
  for (int step = 0; step < 6; ++step) {
    const auto x = test::gradient(n, 0, step);
    auto out = through(*compressor, x, {.step = step});
    compressor->finish(out, {.step = step});
    double scale = 0;
    for (std::size_t i = 0; i < n; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * double{x[i]};
      if (step < kFreeze) v[i] = 0.999 * v[i] + 0.001 * double{x[i]} * double{x[i]};
      if (step >= kFreeze) scale += std::fabs(m[i] + e[i]) / n;
    }
    double mean = 0;
    for (const double its : v) mean += its / n;
    for (std::size_t i = 0; i < n; ++i) {
      if (step >= kFreeze) {
        if (step == kFreeze) v[i] = std::max(v[i], 0.01 * mean);  // by the floor of 0.1
        const double p = m[i] + e[i];
        m[i] = p < 0 ? -scale : scale;
        e[i] = p - m[i];
      }
      const double steps = step + 1, varied = std::min(step + 1, kFreeze);
      const double direction = m[i] / (1 - std::pow(0.9, steps)) /
                               (std::sqrt(v[i] / (1 - std::pow(0.999, varied))) + 1e-8);
      worst = std::max(worst, std::fabs(direction - double{out[i]}) / std::fabs(direction));
    }
  }
  CHECK(worst < 1e-3);
}
