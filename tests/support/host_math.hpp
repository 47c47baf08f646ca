// host_math: DeviceMath of a fake GPU, whose memory is the host's: enough to make a replica on it.
#pragma once

#include <algorithm>
#include <memory>

#include "collectives/gpu/device.hpp"
#include "training/replica/device_math.hpp"

namespace arlab::training {

/// The device must outlive it. It has no optimizer.
inline std::shared_ptr<const DeviceMath> host_math(collectives::Device& device) {
  auto math = std::make_shared<DeviceMath>();
  math->device = &device;
  math->stream = device.make_stream(collectives::StreamKind::framework);
  math->clear = [](std::span<float> x) { std::fill(x.begin(), x.end(), 0.0F); };
  return math;
}

}  // namespace arlab::training
