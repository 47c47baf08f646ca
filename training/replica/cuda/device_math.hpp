// DeviceMath of a GPU.
#pragma once

#include <memory>

#include "training/replica/device_math.hpp"

namespace arlab::training::cuda {

/// The device must be one of collectives::cuda, and outlive the result. For one thread at a time,
/// but that others may record events in its stream.
std::shared_ptr<const DeviceMath> device_math(collectives::Device& device);

/// Returns what waits for a stream of the device, and says whether no element is infinite or NaN.
/// Both must outlive it.
std::function<bool(std::span<const float>)> finite_test(collectives::Device& device,
                                                        collectives::DeviceStream& stream);

}  // namespace arlab::training::cuda
