#include "training/replica/gradient_parts.hpp"

#include <algorithm>
#include <vector>

#include "training/replica/finite.hpp"

namespace arlab::training {
namespace {

std::span<float> part(std::span<float> flat, Count first, Count elements) {
  return flat.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(elements));
}

}  // namespace

std::span<float> GradientParts::gradients(Count first, Count elements) const {
  return part(device_ ? device_->gradients() : parameters_.gradients(), first, elements);
}
std::span<float> GradientParts::weights(Count first, Count elements) const {
  return part(device_ ? device_->weights() : parameters_.weights(), first, elements);
}

Count GradientParts::elements() const {
  return static_cast<Count>((device_ ? device_->gradients() : parameters_.gradients()).size());
}

// A device looks for such values; the host looks at a copy to say which one it is.
void GradientParts::expect_finite(Count first, Count elements, Count step, bool kept) {
  const std::span<const float> its = gradients(first, elements);
  if (!device_) return training::expect_finite(parameters_.variables(), first, its, step, kept);
  if (device_->math()->is_finite(its)) return;
  std::vector<float> copy(its.size());
  device_->math()->copy(copy, its);
  training::expect_finite(parameters_.variables(), first, copy, step, kept);
}

void GradientParts::apply(Count first, Count elements) {
  optimizer_.apply(first, weights(first, elements), gradients(first, elements));
}

void GradientParts::clear(Count first, Count elements) {
  const std::span<float> its = gradients(first, elements);
  if (device_)
    device_->math()->clear(its);
  else
    std::fill(its.begin(), its.end(), 0.0F);
}

}  // namespace arlab::training
