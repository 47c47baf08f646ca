#include "tests/fakes/gpu/device.hpp"

#include <new>
#include <string>

#include "collectives/reduce/reduce.hpp"
#include "tests/fakes/gpu/stream.hpp"

namespace arlab::collectives {
namespace {

constexpr std::align_val_t kAligned{256};

DeviceMemory allocate_on(MemoryMap& memory, const Device* device, std::size_t bytes) {
  auto* const data = static_cast<std::byte*>(::operator new(bytes, kAligned));
  memory.add(data, bytes, device);
  return {data, bytes, [&memory](std::byte* its) {
            memory.remove(its);
            ::operator delete(its, kAligned);
          }};
}

class HostDevice final : public Device {
 public:
  HostDevice(int index, const HostDeviceOptions& options, std::shared_ptr<MemoryMap> memory)
      : Device({.name = "host device " + std::to_string(index),
                .details = std::string(reduce_instructions())}),
        index_(index),
        options_(options),
        memory_(std::move(memory)) {}

  bool reads(const Device& other) const override { return &other == this || options_.peers; }
  DeviceMemory allocate(std::size_t bytes, MemoryKind kind) override {
    return allocate_on(*memory_, kind == MemoryKind::device ? this : nullptr, bytes);
  }
  std::unique_ptr<DeviceStream> make_stream(StreamKind) override {
    const std::uint32_t seed =
        options_.disorder == 0
            ? 0
            : options_.disorder + 97 * streams_++ + 7919u * static_cast<std::uint32_t>(index_);
    return std::make_unique<HostStream>(*this, *memory_, seed);
  }
  DeviceEvent make_event(bool timed) override {
    return DeviceEvent(std::make_shared<HostEvent>(*this, timed));
  }

 private:
  int index_;
  HostDeviceOptions options_;
  std::uint32_t streams_ = 0;
  std::shared_ptr<MemoryMap> memory_;
};

}  // namespace

Devices host_devices(const HostDeviceOptions& options) {
  const auto memory = std::make_shared<MemoryMap>();
  Devices devices;
  for (int i = 0; i < options.count; ++i)
    devices.push_back(std::make_unique<HostDevice>(i, options, memory));
  return devices;
}

}  // namespace arlab::collectives
