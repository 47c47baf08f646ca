#include "collectives/cuda/device.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "collectives/cuda/ipc.hpp"
#include "collectives/cuda/peer.hpp"
#include "collectives/cuda/stream.hpp"
#include "collectives/gpu/median_time.hpp"

namespace arlab::collectives::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

int attribute(cudaDeviceP2PAttr which, int from, int to) {
  int value = 0;
  check(cudaDeviceGetP2PAttribute(&value, which, from, to), "cudaDeviceGetP2PAttribute");
  return value;
}

int count_devices() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

/// Whether `device`, the current one, now reads the memory of `peer`. CUDA calls it an error to
/// enable a pair twice in a process, which devices() may ask for again and again.
bool enable_peer(int device, int peer) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  const std::lock_guard lock(mutex);
  if (enabled.contains({device, peer})) return true;
  const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
  if (code != cudaSuccess) cudaGetLastError();  // it is handled here: leave none behind
  if (code == cudaErrorTooManyPeers || code == cudaErrorPeerAccessUnsupported) return false;
  if (code != cudaErrorPeerAccessAlreadyEnabled)  // by another library, such as NCCL
    check(code, "cudaDeviceEnablePeerAccess");
  enabled.insert({device, peer});
  return true;
}

DeviceInfo info_of(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::array<char, 32> bus{};
  check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index),
        "cudaDeviceGetPCIBusId");
  const int clock = attribute(cudaDevAttrClockRate, index);
  const int memory_clock = attribute(cudaDevAttrMemoryClockRate, index);
  const int width = attribute(cudaDevAttrGlobalMemoryBusWidth, index);
  return {.name = properties.name,
          .memory = properties.totalGlobalMem,
          .details = "compute capability " + std::to_string(properties.major) + "." +
                     std::to_string(properties.minor) + ", " +
                     std::to_string(properties.multiProcessorCount) + " multiprocessors, up to " +
                     std::to_string(clock / 1000) + " MHz, memory up to " +
                     std::to_string(memory_clock / 1000) + " MHz x " + std::to_string(width) +
                     " bits (" +
                     std::to_string(static_cast<int>(2.0 * memory_clock * width / 8 / 1e6)) +
                     " GB/s), PCI " + bus.data(),
          .identity = {properties.uuid.bytes, sizeof(properties.uuid.bytes)}};
}

/// Makes the GPU the thread's current one, which opens it, and loads all kernels: CUDA may load one
/// at its first launch, and then wait for all that runs on the GPU, such as a message of NCCL.
int opened(int index) {
  const std::string gpu = "GPU " + std::to_string(index);
  if (const cudaError_t code = cudaSetDevice(index); code != cudaSuccess) {
    cudaGetLastError();
    fail(Blame::environment,
         gpu + " cannot be used: " + cudaGetErrorString(code) + " (see nvidia-smi)");
  }
  if (!fits_device()) {
    const int capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, index) +
                           attribute(cudaDevAttrComputeCapabilityMinor, index);
    const std::string name = std::to_string(capability);
    fail(Blame::environment, gpu + " has compute capability " + name +
                                 ", and there are no kernels for it: build with " +
                                 (capability < 75 ? "CUDA 12 and " : "") +  // 13 has none below 7.5
                                 "-DCMAKE_CUDA_ARCHITECTURES=" + name +
                                 ", or hide it with CUDA_VISIBLE_DEVICES");
  }
  load_kernels();
  load_peer_kernels();
  return index;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, std::shared_ptr<MemoryMap> memory)
      : Device{info_of(opened(index)), why_no_ipc(index)},
        index_(index),
        memory_(std::move(memory)),
        blocks_(kBlocksPerMultiprocessor * attribute(cudaDevAttrMultiProcessorCount, index)) {}

  int index() const { return index_; }
  /// Lets reductions on this device read the memory of `count` devices, where the hardware can.
  void read_peers(int count) {
    peers_.resize(static_cast<std::size_t>(count));
    use_device(index_);
    for (int peer = 0; peer < count; ++peer) {
      if (peer == index_ || attribute(cudaDevP2PAttrAccessSupported, index_, peer) == 0) continue;
      peers_[static_cast<std::size_t>(peer)] = enable_peer(index_, peer);
    }
  }

  bool reads(const Device& other) const override {
    const auto peer = static_cast<std::size_t>(dynamic_cast<const CudaDevice&>(other).index_);
    return &other == this || (peer < peers_.size() && peers_[peer]);
  }

  DeviceMemory allocate(std::size_t bytes, MemoryKind kind) override {
    if (kind == MemoryKind::pinned)
      return make(
          bytes, nullptr, "pinned host memory",
          [](void** data, std::size_t size) {
            return cudaHostAlloc(data, size, cudaHostAllocPortable);
          },
          [](std::byte* data) { cudaFreeHost(data); });
    return make(
        bytes, this, "a GPU's memory",
        [](void** data, std::size_t size) { return cudaMalloc(data, size); },
        [](std::byte* data) { cudaFree(data); });
  }

  DeviceMemory adopt(std::byte* data, std::size_t bytes, DeviceMemory::Release free) {
    memory_->add(data, bytes, this);
    return {data, bytes, [map = memory_, free = std::move(free)](std::byte* old) {
              map->remove(old);
              free(old);
            }};
  }

  std::unique_ptr<DeviceStream> make_stream(StreamKind kind) override {
    return std::make_unique<CudaStream>(*this, index_, blocks_, *memory_, kind);
  }
  PeerGrid peer_grid(Rank ranks, Operand operand) override {
    use_device(index_);
    return cuda::peer_grid(index_, ranks, operand);
  }

  SharedDeviceMemory share(const std::byte* data) override {
    const Device* const owner = memory_->owner(data, 1);
    std::byte* const base =
        owner && cuda::index_of(*owner) == index_ ? memory_->share(data, owner) : nullptr;
    if (!base)
      fail(Blame::environment,
           "memory that is not this GPU's, or of another library, is not shared with other "
           "processes");
    use_device(index_);
    SharedDeviceMemory shared = ipc_handle(base);
    shared.offset = static_cast<std::size_t>(data - base);
    return shared;
  }
  void free_shared() override {
    for (std::byte* const freed : memory_->take_freed()) cudaFree(freed);
  }
  DeviceMemory open_shared(const SharedDeviceMemory& memory) override {
    use_device(index_);
    return {open_ipc(memory), 0, [index = index_](std::byte* base) {
              cudaSetDevice(index);
              close_ipc(base);
            }};
  }

  DeviceEvent make_event(bool timed) override {
    return DeviceEvent(std::make_shared<CudaEvent>(index_, timed));
  }

 private:
  template <class Allocate, class Free>
  DeviceMemory make(std::size_t bytes, const Device* owner, const char* what, Allocate allocate,
                    Free free) {
    use_device(index_);
    void* data = nullptr;
    const std::size_t size = bytes == 0 ? 1 : bytes;
    const cudaError_t code = allocate(&data, size);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clear the error: the caller may retry with less
      fail(Blame::environment, std::to_string(bytes) + " bytes of " + what +
                                   " are more than is free: use fewer ranks or a smaller size");
    }
    check(code, what);
    auto* const its = static_cast<std::byte*>(data);
    memory_->add(its, size, owner);
    return {its, bytes, [map = memory_, free](std::byte* old) {
              if (map->remove(old)) free(old);
            }};
  }

  int index_;
  std::shared_ptr<MemoryMap> memory_;
  int blocks_;
  std::vector<bool> peers_;
};

/// Of all GPUs that this thread opens alone. A rank may open its own twice, for messages and for
/// codes; memory of the one is shared with other processes by the other.
std::shared_ptr<MemoryMap> memory_of_thread() {
  thread_local std::weak_ptr<MemoryMap> last;
  auto memory = last.lock();
  if (!memory) last = memory = std::make_shared<MemoryMap>();
  return memory;
}

}  // namespace

std::string unavailable() {
  int count = 0, driver = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) cudaGetLastError();  // it is said here
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  const std::string built = "built with CUDA " + version_text(CUDART_VERSION);
  if (code == cudaErrorInsufficientDriver && driver == 0)
    return built + ", but there is no NVIDIA driver here: run it where nvidia-smi works";
  if (code == cudaErrorInsufficientDriver)
    return built + ", but the NVIDIA driver knows CUDA " + version_text(driver) +
           " only: update the driver, or build with that toolkit";
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
    return built + ", but the driver shows no GPU: see nvidia-smi and CUDA_VISIBLE_DEVICES";
  if (code != cudaSuccess)
    return built + ", but CUDA does not start: " + cudaGetErrorString(code) + " (see nvidia-smi)";
  for (int index = 0; index < count; ++index)
    if (attribute(cudaDevAttrComputeMode, index) == cudaComputeModeProhibited)
      return "GPU " + std::to_string(index) +
             " is closed to computing: ask for nvidia-smi -c 0, or hide it with "
             "CUDA_VISIBLE_DEVICES";
  return "";
}

Devices devices() {
  const auto memory = std::make_shared<MemoryMap>();
  std::vector<std::unique_ptr<CudaDevice>> all;
  const int count = device_count();
  for (int index = 0; index < count; ++index)
    all.push_back(std::make_unique<CudaDevice>(index, memory));
  for (const auto& its : all) its->read_peers(count);
  return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
}

std::unique_ptr<Device> device(int index) {
  if (const int count = device_count(); index < 0 || index >= count)
    fail(Blame::environment, "GPU " + std::to_string(index) +
                                 " does not exist: this process sees " + std::to_string(count) +
                                 ", numbered from 0 (see nvidia-smi -L and "
                                 "CUDA_VISIBLE_DEVICES)");
  return std::make_unique<CudaDevice>(index, memory_of_thread());
}

int device_count() {
  if (const std::string why = unavailable(); !why.empty()) fail(Blame::environment, why);
  return count_devices();
}

std::vector<DeviceInfo> infos() {
  std::vector<DeviceInfo> all;
  for (int index = 0; index < device_count(); ++index) all.push_back(info_of(index));
  return all;
}

std::string links() {
  std::string text;
  const int count = count_devices();
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      text += (text.empty() ? "" : "; ") + std::to_string(a) + "-" + std::to_string(b);
      if (attribute(cudaDevP2PAttrAccessSupported, a, b) == 0)
        text += " no peers (through the host)";
      else if (attribute(cudaDevP2PAttrNativeAtomicSupported, a, b) == 0)
        text += " peers (as over PCIe)";
      else
        text += " peers, native atomics (as over NVLink)";
    }
  return text;
}

double copy_limit_gbps(Device& device, std::size_t bytes) {
  use_device(index_of(device));
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  bytes = std::min(bytes, free / 4);
  const DeviceMemory from = device.allocate(bytes), into = device.allocate(bytes);
  const auto stream = device.make_stream();
  const double us = median_microseconds(device, *stream, [&] {
    check(
        cudaMemcpyAsync(into.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, handle(*stream)),
        "cudaMemcpyAsync");
  });
  return 2.0 * static_cast<double>(bytes) / us / 1e3;
}

std::string versions() {
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  return version_text(runtime) + ", driver " + (driver == 0 ? "none" : version_text(driver));
}

DeviceMemory adopt(Device& device, std::byte* data, std::size_t bytes, DeviceMemory::Release free) {
  return dynamic_cast<CudaDevice&>(device).adopt(data, bytes, std::move(free));
}

cudaStream_t handle(DeviceStream& stream) { return dynamic_cast<CudaStream&>(stream).handle(); }

int index_of(const Device& device) { return dynamic_cast<const CudaDevice&>(device).index(); }

}  // namespace arlab::collectives::cuda
