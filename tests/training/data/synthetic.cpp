#include "training/data/synthetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/samples.hpp"
#include "training/io/crc32c.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

// Returns the checksum of the first samples as bytes, including labels.
std::uint32_t checksum(const Synthetic& wanted) {
  const Dataset d = synthetic(wanted);
  std::vector<float> values(static_cast<std::size_t>(d.shape.values()));
  std::uint32_t crc = 0;
  for (Count i = 0; i < 50; ++i) {
    std::string bytes(1, static_cast<char>(d.sample(i, values)));
    for (const float v : values) bytes += static_cast<char>(std::lround(v * 255.0f));
    crc = crc32c(bytes, crc);
  }
  return crc;
}

struct Table {  // samples as rows
  explicit Table(const Synthetic& wanted) {
    const Dataset d = synthetic(wanted);
    size = static_cast<std::size_t>(d.shape.values());
    values.resize(static_cast<std::size_t>(d.samples) * size);
    for (Count i = 0; i < d.samples; ++i)
      labels.push_back(d.sample(i, row(static_cast<std::size_t>(i))));
  }
  std::span<float> row(std::size_t i) { return std::span(values).subspan(i * size, size); }

  std::size_t size = 0;
  std::vector<float> values;
  std::vector<int> labels;
};

using Scores = std::array<float, 10>;

// Returns the scores of the ten rows of `weights`; each row ends with the bias.
Scores scores(const std::vector<float>& weights, std::span<const float> x) {
  Scores s{};
  for (std::size_t k = 0; k < 10; ++k) {
    const float* w = weights.data() + k * (x.size() + 1);
    float sum = w[x.size()];
    for (std::size_t v = 0; v < x.size(); ++v) sum += w[v] * x[v];
    s[k] = sum;
  }
  return s;
}

int best(const Scores& s) {
  return static_cast<int>(std::max_element(s.begin(), s.end()) - s.begin());
}

double accuracy(const std::vector<float>& weights, Table& table) {
  int right = 0;
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    right += best(scores(weights, table.row(i))) == table.labels[i];
  return right / static_cast<double>(table.labels.size());
}

// Runs one epoch of softmax regression, one sample per step.
void learn(std::vector<float>& weights, Table& table, float rate) {
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const auto x = table.row(i);
    Scores s = scores(weights, x);
    const float max = *std::max_element(s.begin(), s.end());
    float sum = 0;
    for (float& v : s) sum += v = std::exp(v - max);
    for (std::size_t k = 0; k < 10; ++k) {
      const float error = s[k] / sum - (static_cast<int>(k) == table.labels[i] ? 1.0f : 0.0f);
      float* w = weights.data() + k * (x.size() + 1);
      for (std::size_t v = 0; v < x.size(); ++v) w[v] -= rate * error * x[v];
      w[x.size()] -= rate * error;
    }
  }
}

}  // namespace

TEST_CASE("synthetic images are the same bytes on every machine") {
  CHECK(checksum({}) == 0x22ce6858);
  CHECK(checksum({.shape = {3, 32, 32}, .seed = 7}) == 0x87fb3362);
}

TEST_CASE("a synthetic sample depends only on its seed and number") {
  const Dataset few = synthetic({.samples = 10}), many = synthetic({.samples = 1000});
  CHECK(values_of(few, 9) == values_of(many, 9));
  CHECK(values_of(many, 8) != values_of(many, 9));
  CHECK(values_of(few, 9) != values_of(synthetic({.seed = 2}), 9));
  CHECK(values_of(few, 9) != values_of(synthetic({.validation = true}), 9));
  for (const float v : values_of(few, 3)) REQUIRE((v >= 0 && v <= 1));
}

TEST_CASE("synthetic classes are about equally frequent") {
  const Dataset d = synthetic({.shape = {1, 8, 8}, .samples = 5000});
  std::array<int, 10> seen{};
  std::vector<float> values(64);
  for (Count i = 0; i < d.samples; ++i) ++seen[static_cast<std::size_t>(d.sample(i, values))];
  for (const int n : seen) CHECK(std::abs(n - 500) < 100);  // 4.7 standard deviations
}

TEST_CASE("synthetic images can be learned in an epoch, but not by averaging") {
  Table training({.samples = 4000}), validation({.samples = 500, .validation = true});
  std::vector<float> weights(10 * (training.size + 1), 0.0f);
  CHECK(accuracy(weights, validation) < 0.2);
  learn(weights, training, 0.01f);
  CHECK(accuracy(weights, validation) > 0.9);

  // The nearest mean image: |x - m|^2 is smallest where m.x - |m|^2 / 2 is greatest.
  std::vector<float> means(weights.size(), 0.0f);
  std::array<float, 10> counts{};
  for (std::size_t i = 0; i < training.labels.size(); ++i) {
    const auto k = static_cast<std::size_t>(training.labels[i]);
    counts[k] += 1;
    for (std::size_t v = 0; v < training.size; ++v)
      means[k * (training.size + 1) + v] += training.row(i)[v];
  }
  for (std::size_t k = 0; k < 10; ++k) {
    float* m = means.data() + k * (training.size + 1);
    for (std::size_t v = 0; v < training.size; ++v) {
      m[v] /= counts[k];
      m[training.size] -= m[v] * m[v] / 2;
    }
  }
  CHECK(accuracy(means, validation) < 0.88);
}

TEST_CASE("rejects unsupported synthetic images") {
  CHECK(failure([] {
          synthetic({.shape = {1, 4, 28}});
        }) ==
        "2: synthetic images of 1 x 4 x 28 are not supported: use 8 to 4096 pixels per side and 1 "
        "to 64 "
        "channels");
  CHECK(failure([] { synthetic({.samples = 0}); }) == "2: 0 samples are too few: use at least 1");
}
