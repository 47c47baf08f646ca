#include "training/data/synthetic.hpp"

#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::training {
namespace {

constexpr int kClasses = 10, kPatterns = 2;
constexpr int kGrid = 6;     // random values per side that define a pattern
constexpr int kMove = 2;     // pixels in each direction
constexpr int kNoise = 120;  // of 256
constexpr std::uint64_t kPatternStream = 1, kTrainingStream = 2, kValidationStream = 3;

// All patterns, each with a margin for movement. Values are 0 to 255.
class Patterns {
 public:
  Patterns(Shape shape, const Random& random)
      : rows_(shape.height + 2 * kMove), columns_(shape.width + 2 * kMove) {
    values_.reserve(static_cast<std::size_t>(kClasses * kPatterns) *
                    static_cast<std::size_t>(rows_ * columns_));
    for (int p = 0; p < kClasses * kPatterns; ++p) draw(random.of(static_cast<std::uint64_t>(p)));
  }

  /// Returns the first value of a row of a pattern moved by (down, right).
  const int* row(int label, int pattern, int y, int down, int right) const {
    const auto at =
        ((static_cast<std::size_t>(label * kPatterns + pattern)) * static_cast<std::size_t>(rows_) +
         static_cast<std::size_t>(y + kMove + down)) *
            static_cast<std::size_t>(columns_) +
        static_cast<std::size_t>(kMove + right);
    return values_.data() + at;
  }

 private:
  // Interpolates random values on a coarse grid linearly.
  void draw(const Random& random) {
    const auto corner = [&](int y, int x) {
      return static_cast<int>(random(static_cast<std::uint64_t>(y * kGrid + x)) & 255);
    };
    for (int y = 0; y < rows_; ++y) {
      const int v = y * (kGrid - 1) * 256 / rows_, top = v / 256, down = v % 256;
      for (int x = 0; x < columns_; ++x) {
        const int u = x * (kGrid - 1) * 256 / columns_, left = u / 256, right = u % 256;
        const int above = corner(top, left) * (256 - right) + corner(top, left + 1) * right;
        const int below = corner(top + 1, left) * (256 - right) + corner(top + 1, left + 1) * right;
        const int value = (above * (256 - down) + below * down) / 65536;
        values_.push_back(std::clamp(2 * (value - 118), 0, 255));  // about half of it is dark
      }
    }
  }

  int rows_, columns_;
  std::vector<int> values_;
};

// The random choices for one sample, before noise. Its colors are independent of its class.
struct Scene {
  explicit Scene(const Random& random) : numbers(random.of(1)) {
    label = draw(kClasses);
    other = (label + 1 + draw(kClasses - 1)) % kClasses;
    pattern = draw(kPatterns);
    other_pattern = draw(kPatterns);
    down = draw(2 * kMove + 1) - kMove;
    right = draw(2 * kMove + 1) - kMove;
  }

  int draw(Count below) { return static_cast<int>(numbers.below(below, drawn++)); }

  Random numbers;
  std::uint64_t drawn = 0;
  int label, other, pattern, other_pattern, down, right;
};

void paint(const Patterns& patterns, Shape shape, const Random& noise, Scene& s,
           std::span<float> values) {
  std::size_t at = 0;
  std::uint64_t bits = 0;
  for (int plane = 0; plane < shape.channels; ++plane) {
    const int strength = 140 + s.draw(100), other_strength = s.draw(90);  // of 256
    for (int y = 0; y < shape.height; ++y) {
      const int* mine = patterns.row(s.label, s.pattern, y, s.down, s.right);
      const int* theirs = patterns.row(s.other, s.other_pattern, y, 0, 0);
      for (int x = 0; x < shape.width; ++x, ++at, bits >>= 16) {
        if (at % 4 == 0) bits = noise(at / 4);
        // The sum of two bytes: a triangle around 0.
        const int jitter = static_cast<int>(bits & 255) + static_cast<int>(bits >> 8 & 255) - 255;
        const int value = (mine[x] * strength + theirs[x] * other_strength + jitter * kNoise) / 256;
        values[at] = static_cast<float>(std::clamp(value, 0, 255)) / 255.0f;
      }
    }
  }
}

}  // namespace

Dataset synthetic(const Synthetic& wanted) {
  const Shape shape = wanted.shape;
  if (shape.height < 8 || shape.width < 8 || shape.channels < 1 || shape.height > 4096 ||
      shape.width > 4096 || shape.channels > 64)
    fail(Blame::usage,
         "synthetic images of " + std::to_string(shape.channels) + " x " +
             std::to_string(shape.height) + " x " + std::to_string(shape.width) +
             " are not supported: use 8 to 4096 pixels per side and 1 to 64 channels");
  if (wanted.samples < 1)
    fail(Blame::usage, std::to_string(wanted.samples) + " samples are too few: use at least 1");
  const Random random(wanted.seed);
  const auto patterns = std::make_shared<const Patterns>(shape, random.of(kPatternStream));
  Dataset dataset;
  dataset.name = "synthetic";
  dataset.shape = shape;
  dataset.classes = kClasses;
  dataset.samples = wanted.samples;
  dataset.sample = [patterns, shape,
                    stream = random.of(wanted.validation ? kValidationStream : kTrainingStream)](
                       Count index, std::span<float> values) {
    const Random of_sample = stream.of(static_cast<std::uint64_t>(index));
    Scene scene(of_sample);
    paint(*patterns, shape, of_sample.of(2), scene, values);
    return scene.label;
  };
  return dataset;
}

}  // namespace arlab::training
