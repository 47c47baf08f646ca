// DGC: its velocity, its warm-up, and how many elements it sends.
#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::training;
using test::through;

TEST_CASE("DGC: momentum correction, factor masking and warm-up, step by step") {
  // A sample covers vectors of up to 256 elements completely, so that the threshold is exact.
  constexpr Count n = 200;
  const float momentum = 0.5f;
  const auto compressor = make_compressor(
      choose_compressor("dgc:momentum=0.5,ratio=0.01,warm_up=2"), flat(n), Aggregation::all_gather);
  std::vector<float> u(n), v(n);
  const double ratios[] = {0.25, 0.25, 0.0625, 0.0625, 0.015625, 0.015625, 0.01, 0.01, 0.01, 0.01};
  Count wrong = 0;
  for (int step = 0; step < 10; ++step) {
    const auto x = test::gradient(n, 0, step);
    std::vector<float> magnitudes;
    for (std::size_t i = 0; i < x.size(); ++i) {
      u[i] = momentum * u[i] + x[i];
      v[i] += u[i];
      magnitudes.push_back(std::fabs(v[i]));
    }
    // The paper's last stage, 0.004, is below this ratio.
    const auto k = static_cast<std::size_t>(std::ceil(std::max(0.01, ratios[step]) * n));
    std::sort(magnitudes.rbegin(), magnitudes.rend());
    const auto out = through(*compressor, x, {.step = step});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool sent = std::fabs(v[i]) >= magnitudes[k - 1];
      wrong += out[i] != (sent ? v[i] : 0.0f);
      if (sent) u[i] = v[i] = 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("DGC sends the wanted part of a vector, of equal elements and of large vectors, too") {
  const auto sent = [](Count n, const std::string& settings, const std::vector<float>& x) {
    const auto one = make_compressor(choose_compressor("dgc:momentum=0,warm_up=0," + settings),
                                     flat(n), Aggregation::all_gather);
    const auto code = one->encode(x, {.seed = 11});
    return static_cast<Count>(code.size()) / 8;
  };
  CHECK(sent(5000, "ratio=0.001", std::vector<float>(5000, 0.5f)) == 5);
  CHECK(sent(5000, "ratio=0.001", std::vector<float>(5000, 0.0f)) == 0);
  for (const Count n : {1000, 10'000, 100'000}) {
    double mean = 0;
    constexpr int kTimes = 40;
    const Count k = n / 1000;
    for (int i = 0; i < kTimes; ++i) {
      const Count its = sent(n, "ratio=0.001", test::gradient(n, 0, i));
      CHECK(its <= k);
      mean += static_cast<double>(its) / kTimes;
    }
    CHECK(mean > 0.9 * static_cast<double>(k));
  }
}

TEST_CASE("DGC's second selection sends the largest elements of those above the threshold") {
  constexpr Count n = 20'000;
  const auto x = test::gradient(n);
  const auto dgc = through("dgc:momentum=0,warm_up=0,ratio=0.01", x, {.seed = 2});
  CHECK(test::same_bits(dgc, through("topk:ratio=0.01", x)));
}
