// Kernels and copies.
#include <cstdlib>
#include <cstring>

#include "tests/fakes/cuda/block.hpp"
#include "tests/fakes/cuda/resident.hpp"
#include "tests/fakes/cuda/streams.hpp"

namespace arlab::fake_cuda {

std::byte* dynamic_shared = nullptr;

namespace {

/// Memory that work uses, as it was when the work was enqueued.
struct Used {
  const void* data = nullptr;
  std::uint64_t id = 0;
};

bool still_there(const Used& used, const char* who) {
  Machine& m = machine();
  const Allocation* const block = m.find(used.data, 1, who);
  if (block && block->id == used.id) return true;
  m.complain(std::string(who) + " uses memory that was freed");
  return false;
}

/// Checks that a kernel on a device reaches what it is given.
bool take_pointers(int device, const std::vector<const void*>& pointers, std::vector<Used>& used) {
  Machine& m = machine();
  for (const void* pointer : pointers) {
    if (!pointer) continue;
    const Allocation* const block = m.find(pointer, 1, "a kernel");
    if (!block) {
      m.complain("a kernel was given memory of the host, or one past a block's end");
      return false;
    }
    if (!m.reaches(device, *block)) {
      m.complain("a kernel on device " + std::to_string(device) + " was given memory of device " +
                 std::to_string(block->device) + ", which is no peer");
      return false;
    }
    used.push_back({pointer, block->id});
  }
  return true;
}

/// Of a device: as if registers and shared memory were no limit.
unsigned most_resident_blocks(unsigned threads) {
  const auto each = static_cast<unsigned>(machine().options.resident_threads) / threads;
  return each * static_cast<unsigned>(machine().options.multiprocessors);
}

void run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread) {
  Machine& m = machine();
  gridDim = config.gridDim;
  blockDim = config.blockDim;
  const unsigned step =
      config.gridDim.x > 1 && m.one_in(2) ? config.gridDim.x - 1 : 1;  // last block first
  std::vector<std::byte> shared;
  for (unsigned k = 0, block = 0; k < config.gridDim.x;
       ++k, block = (block + step) % config.gridDim.x) {
    blockIdx = dim3(block);
    shared.assign(config.dynamicSmemBytes, std::byte{0xa7});
    dynamic_shared = shared.data();
    if (const std::string wrong = run_block(config.blockDim.x, thread, m.random); !wrong.empty())
      m.complain(wrong);
  }
}

}  // namespace

cudaError_t load(const void* kernel) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  m.contexts.insert(current_device());
  m.loaded.insert({kernel, current_device()});
  return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel,
                   std::vector<const void*> pointers, std::function<void()> thread) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  if (m.broken) return returned(cudaErrorLaunchFailure);
  Stream* const stream = find_stream(config.stream, "a kernel's launch");
  if (!stream) return returned(cudaErrorInvalidResourceHandle);
  if (stream->device != current_device()) {
    m.complain("a kernel was launched on a stream of another device");
    return returned(cudaErrorInvalidResourceHandle);
  }
  if (config.blockDim.x == 0 || config.blockDim.x > 1024 || config.gridDim.x == 0 ||
      config.dynamicSmemBytes > 48u << 10)
    return returned(cudaErrorInvalidValue);
  if (m.loaded.insert({kernel, stream->device}).second && !m.eager_loading) {
    // Code that is loaded late may wait for all that runs on the device.
    m.counted.late_loads += is_idle(stream->device) ? 0 : 1;
    const bool loaded = wait_until(
        lock, [&] { return is_idle(stream->device); }, "loading a kernel at its first launch");
    if (!loaded) return returned(cudaErrorLaunchFailure);
  }
  bool cooperative = false;
  for (unsigned k = 0; k < config.numAttrs; ++k)
    cooperative = cooperative || (config.attrs[k].id == cudaLaunchAttributeCooperative &&
                                  config.attrs[k].val.cooperative != 0);
  if (cooperative && config.gridDim.x > most_resident_blocks(config.blockDim.x))
    return returned(cudaErrorCooperativeLaunchTooLarge);
  std::vector<Used> used;
  if (!take_pointers(stream->device, pointers, used)) return returned(cudaErrorLaunchFailure);
  enqueue(*stream, "kernel",
          [config, cooperative, used, thread = std::move(thread)](const TaskPtr& task) {
            ++machine().counted.kernels;
            for (const Used& memory : used)
              if (!still_there(memory, "a kernel")) return true;
            if (cooperative) {
              task->awaited = [] { return std::vector<std::thread::id>(); };
              add_resident(config, thread, task);
              run_residents(false);
              return false;
            }
            run_grid(config, thread);
            return true;
          });
  return cudaSuccess;
}

}  // namespace arlab::fake_cuda

using namespace arlab::fake_cuda;

cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (m.broken) return returned(cudaErrorLaunchFailure);
  Stream* const stream = find_stream(handle, "cudaMemcpyAsync");
  if (!stream) return returned(cudaErrorInvalidResourceHandle);
  const std::size_t problems = m.wrong.size();
  const Allocation* const target = m.find(into, bytes, "a copy");
  const Allocation* const source = m.find(from, bytes, "a copy");
  if (m.wrong.size() > problems) return returned(cudaErrorInvalidValue);
  const auto on_device = [](const Allocation* block) { return block && block->device != kHost; };
  if ((kind == cudaMemcpyDeviceToDevice && !(on_device(target) && on_device(source))) ||
      (kind == cudaMemcpyHostToDevice && (on_device(source) || !on_device(target))) ||
      (kind == cudaMemcpyDeviceToHost && (on_device(target) || !on_device(source)))) {
    m.complain("a copy says that it goes another way than its memory");
    return returned(cudaErrorInvalidValue);
  }
  std::vector<Used> used;
  if (target) used.push_back({into, target->id});
  if (source) used.push_back({from, source->id});
  enqueue(*stream, "memcpy", [=](const TaskPtr&) {
    ++machine().counted.memcpys;
    for (const Used& memory : used)
      if (!still_there(memory, "a copy")) return true;
    std::memcpy(into, from, bytes);
    return true;
  });
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t code = cudaMemcpyAsync(into, from, bytes, kind, nullptr);
  return code == cudaSuccess ? cudaStreamSynchronize(nullptr) : code;
}

cudaError_t arlab::fake_cuda::occupancy(int* blocks, int threads) {
  *blocks = machine().options.resident_threads / threads;
  return cudaSuccess;
}
