#include "training/replica/cuda/device_math.hpp"

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
#include "training/replica/cuda/updates.hpp"

namespace arlab::training::cuda {
std::shared_ptr<const DeviceMath> device_math(collectives::Device& device) {
  auto its = std::make_shared<DeviceMath>();
  its->device = &device;
  its->stream = device.make_stream(collectives::StreamKind::framework);
  const auto launch = [&device, stream = its->stream.get()]() -> Launch {
    collectives::cuda::use_device(collectives::cuda::index_of(device));
    return {collectives::cuda::handle(*stream), collectives::cuda::kUsualBlocks};
  };
  launch();  // makes the device the current one
  load_updates();
  its->update = [launch](const Update& step, const UpdatedPart& part) {
    update(step, part, launch());
  };
  its->clear = [launch](std::span<float> x) {
    clear(x.data(), static_cast<Count>(x.size()), launch());
  };
  its->is_finite = finite_test(device, *its->stream);
  return its;
}

// The kernel writes where the host reads, so that the answer needs no copy.
std::function<bool(std::span<const float>)> finite_test(collectives::Device& device,
                                                        collectives::DeviceStream& stream) {
  const auto found = std::make_shared<collectives::DeviceMemory>(
      device.allocate(sizeof(int), collectives::MemoryKind::pinned));
  return [&device, &stream, found](std::span<const float> x) {
    auto* const any = reinterpret_cast<volatile int*>(found->data());
    *any = 0;
    collectives::cuda::use_device(collectives::cuda::index_of(device));
    find_not_finite(const_cast<int*>(any), x.data(), static_cast<Count>(x.size()),
                    {collectives::cuda::handle(stream), collectives::cuda::kUsualBlocks});
    stream.synchronize();
    return *any == 0;
  };
}

}  // namespace arlab::training::cuda
