// DeviceMath: what training computes on vectors in a GPU's memory, besides a framework's passes.
//
// All of it is enqueued in the stream in which the framework computes, so that each follows what
// the framework has enqueued before. The results have the bits of the processor's.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "collectives/gpu/device_handles.hpp"
#include "training/replica/update.hpp"

namespace arlab::training {

struct DeviceMath {
  collectives::Device* device = nullptr;              ///< outlives this
  std::shared_ptr<collectives::DeviceStream> stream;  ///< the framework's
  std::function<void(const Update&, const UpdatedPart&)> update;
  std::function<void(std::span<float>)> clear;  ///< sets to 0
  /// Waits for the stream, and returns whether no element is infinite or NaN.
  std::function<bool(std::span<const float>)> is_finite;

  /// Copies between the device and host memory, and waits for it.
  void copy(std::span<float> into, std::span<const float> from) const;
};

/// The vectors of a replica in its device's memory, in the order of the variables. The host must
/// not read or write what the spans show.
class DeviceVectors {
 public:
  /// The gradients are 0, and the weights arbitrary.
  DeviceVectors(std::shared_ptr<const DeviceMath> math, Count elements);
  ~DeviceVectors();
  DeviceVectors(const DeviceVectors&) = delete;
  DeviceVectors& operator=(const DeviceVectors&) = delete;

  std::span<float> weights() const { return part(0); }
  std::span<float> gradients() const { return part(1); }
  const std::shared_ptr<const DeviceMath>& math() const { return math_; }

 private:
  std::span<float> part(std::size_t which) const;

  std::shared_ptr<const DeviceMath> math_;
  std::size_t elements_, stride_;  // the second part begins on 256 bytes
  collectives::DeviceMemory memory_;
};

}  // namespace arlab::training
