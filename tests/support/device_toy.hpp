// DeviceToy: the toy replica with weights and gradients in a device's memory. The host computes its
// passes instead of kernels; what it copies for that is counted, apart from the copies of training.
#pragma once

#include <atomic>
#include <memory>

#include "collectives/gpu/device.hpp"
#include "tests/support/toy_replica.hpp"
#include "training/replica/device_math.hpp"

namespace toy {

class DeviceToy final : public arlab::training::Replica {
 public:
  /// `copies`: counts those between host and device; of all replicas.
  DeviceToy(std::uint64_t seed, std::shared_ptr<const arlab::training::DeviceMath> math,
            std::atomic<long>& copies)
      : toy_(seed),
        vectors_(math, static_cast<Count>(toy_.weights().size())),
        own_(math->device->allocate(toy_.weights().size_bytes())),
        copies_(copies) {
    variables_.assign(toy_.variables().begin(), toy_.variables().end());
    memory_ = {.weights = toy_.weights(), .on_device = &vectors_};
    give();
    toy_.on_need([this](std::size_t v) {
      needs(v);
      copy(part(toy_.weights(), v), part(vectors_.weights(), v));
    });
    toy_.on_ready([this](std::size_t v) {
      const std::span<float> own = part({reinterpret_cast<float*>(own_.data()), elements()}, v);
      copy(own, part(toy_.gradients(), v));
      stream().reduce(bytes_of(part(vectors_.gradients(), v)), bytes_of(own),
                      static_cast<Count>(own.size()), {});
      is_ready(v);
    });
  }

  void fetch() override { copy(toy_.weights(), vectors_.weights()); }
  void give() override { copy(vectors_.weights(), toy_.weights()); }

  BatchResult learn(const arlab::training::Samples& samples, float scale) override {
    std::fill(toy_.gradients().begin(), toy_.gradients().end(), 0.0F);
    const BatchResult result = toy_.learn(samples, scale);
    stream().synchronize();
    return result;
  }
  BatchResult evaluate(const arlab::training::Samples& samples) override {
    fetch();
    return toy_.evaluate(samples);
  }

 private:
  static std::byte* bytes_of(std::span<float> x) { return std::as_writable_bytes(x).data(); }
  std::size_t elements() { return toy_.weights().size(); }
  std::span<float> part(std::span<float> flat, std::size_t variable) {
    const arlab::training::Variable& v = variables()[variable];
    return flat.subspan(static_cast<std::size_t>(v.offset), static_cast<std::size_t>(v.elements));
  }
  arlab::collectives::DeviceStream& stream() { return *vectors_.math()->stream; }
  void copy(std::span<float> into, std::span<const float> from) {
    ++copies_;
    vectors_.math()->copy(into, from);
  }

  ToyReplica toy_;
  arlab::training::DeviceVectors vectors_;
  arlab::collectives::DeviceMemory own_;
  std::atomic<long>& copies_;
};

}  // namespace toy
