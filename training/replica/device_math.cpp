#include "training/replica/device_math.hpp"

#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/device.hpp"

namespace arlab::training {

void DeviceMath::copy(std::span<float> into, std::span<const float> from) const {
  expects(into.size() == from.size(), "vectors of two lengths are copied");
  if (into.empty()) return;
  stream->copy(std::as_writable_bytes(into).data(), std::as_bytes(from).data(), from.size_bytes());
  stream->synchronize();
}

DeviceVectors::DeviceVectors(std::shared_ptr<const DeviceMath> math, Count elements)
    : math_(std::move(math)),
      elements_(static_cast<std::size_t>(elements)),
      stride_((elements_ + 63) / 64 * 64),
      memory_(math_->device->allocate(2 * stride_ * sizeof(float))) {
  math_->clear(gradients());
}

DeviceVectors::~DeviceVectors() { math_->stream->settle(); }

std::span<float> DeviceVectors::part(std::size_t which) const {
  return {reinterpret_cast<float*>(memory_.data()) + which * stride_, elements_};
}

}  // namespace arlab::training
