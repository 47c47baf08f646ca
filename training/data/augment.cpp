#include "training/data/augment.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::training {
namespace {

constexpr std::uint64_t kStream =
    0x617567;  // separates these random numbers from others of the same seed

// out(y, x) = in(y + down, x + right), or 0 outside the image. Moves the image as one row, then clears
// what came from the row above or below.
void move(std::span<float> plane, const Shape& shape, int down, int right) {
  const std::ptrdiff_t by = std::ptrdiff_t{down} * shape.width + right;
  if (by > 0) std::copy(plane.begin() + by, plane.end(), plane.begin());
  if (by < 0) std::copy_backward(plane.begin(), plane.end() + by, plane.end());
  for (int y = 0; y < shape.height; ++y) {
    const auto row = plane.begin() + std::ptrdiff_t{y} * shape.width;
    const bool outside = y + down < 0 || y + down >= shape.height;
    const int first = outside ? 0 : right < 0 ? 0 : shape.width - right;
    const int last = outside || right >= 0 ? shape.width : -right;
    std::fill(row + first, row + last, 0.0F);
  }
}

void mirror(std::span<float> plane, const Shape& shape) {
  for (auto row = plane.begin(); row != plane.end(); row += shape.width)
    std::reverse(row, row + shape.width);
}

}  // namespace

Augmentation usual_augmentation(const Shape& shape, std::uint64_t seed) {
  const bool color = shape.channels > 1;
  return {.shift = color ? 4 : 2, .mirror = color, .seed = seed};
}

Dataset augmented(Dataset from, const Augmentation& a) {
  if (a.shift < 0 || a.shift >= std::min(from.shape.height, from.shape.width))
    fail(Blame::usage, from.name + " has images of " + std::to_string(from.shape.height) + " x " +
                           std::to_string(from.shape.width) + " pixels, which cannot be moved by " +
                           std::to_string(a.shift) +
                           ": use a shift of 0 or more that is below both");
  from.name += ", moved by " + std::to_string(a.shift) + (a.mirror ? " and mirrored" : "");
  from.vary = [a, shape = from.shape, stream = Random(a.seed).of(kStream)](
                  Count epoch, Count index, std::span<float> values) {
    const Random random =
        stream.of(static_cast<std::uint64_t>(epoch)).of(static_cast<std::uint64_t>(index));
    const int down = static_cast<int>(random.below(2 * a.shift + 1, 0)) - a.shift;
    const int right = static_cast<int>(random.below(2 * a.shift + 1, 1)) - a.shift;
    const bool mirrors = a.mirror && random.below(2, 2) == 1;
    const auto plane = static_cast<std::size_t>(shape.values() / shape.channels);
    for (std::size_t at = 0; at < values.size(); at += plane) {
      move(values.subspan(at, plane), shape, down, right);
      if (mirrors) mirror(values.subspan(at, plane), shape);
    }
  };
  return from;
}

}  // namespace arlab::training
