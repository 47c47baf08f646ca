// Kernels on a GPU: the copy and the reductions, beside CUDA's own copy of vectors of the same
// size. bytes = bytes read and written, so that all of them could reach the copy's rate; of_copy =
// by that rate. Time is the device's own, by events: both are the median of batches
// (median_time.hpp), so one iteration is all.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/device.hpp"
#include "collectives/median_time.hpp"
#ifdef ARLAB_HAS_CUDA
#include "collectives/cuda/device.hpp"
#endif

namespace arlab::micro {
namespace {

#ifdef ARLAB_HAS_CUDA
std::string why_not() { return cuda::unavailable(); }
Devices gpus() { return cuda::devices(); }
double copy_limit(Device& gpu, std::size_t bytes) { return cuda::copy_limit_gbps(gpu, bytes); }
#else
std::string why_not() { return "built without CUDA"; }
Devices gpus() { return {}; }
double copy_limit(Device&, std::size_t) { return 1; }
#endif

/// Bits as they come: memory of zeros may be faster than real data.
void fill(DeviceStream& stream, const DeviceMemory& memory) {
  std::minstd_rand random;
  std::vector<std::uint32_t> noise(1 << 16);
  for (std::uint32_t& word : noise) word = static_cast<std::uint32_t>(random()) << 1;
  std::size_t filled = std::min(memory.size(), noise.size() * sizeof(noise[0]));
  stream.copy(memory.data(), reinterpret_cast<const std::byte*>(noise.data()), filled);
  for (std::size_t more; filled < memory.size(); filled += more) {
    more = std::min(filled, memory.size() - filled);
    stream.copy(memory.data() + filled, memory.data(), more);
  }
  stream.synchronise();
}

/// Times `work` on the first GPU; it moves `moved` bytes of memory for each of the vector's.
void run(benchmark::State& state, int moved,
         const std::function<void(DeviceStream&, std::byte*, std::byte*, std::size_t)>& work) {
  if (const std::string why = why_not(); !why.empty())
    return state.SkipWithError(("skipped: " + why).c_str());
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Devices devices = gpus();
  Device& gpu = *devices.front();
  static std::map<std::size_t, double> limits;  // of each size, measured once
  if (!limits.contains(bytes)) limits[bytes] = copy_limit(gpu, bytes);
  const DeviceMemory into = gpu.allocate(bytes), from = gpu.allocate(bytes);
  const auto stream = gpu.make_stream();
  fill(*stream, into);
  fill(*stream, from);
  double us = 0;
  for (auto _ : state) {
    us = median_microseconds(gpu, *stream, [&] { work(*stream, into.data(), from.data(), bytes); });
    state.SetIterationTime(us * 1e-6);
  }
  const double total = static_cast<double>(bytes) * moved;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes) * moved);
  state.counters["of_copy"] = total / us / 1e3 / limits[bytes];
}

void copy(benchmark::State& state) {
  run(state, 2,
      [](DeviceStream& stream, std::byte* into, const std::byte* from, std::size_t bytes) {
        stream.copy(into, from, bytes);
      });
}

void reduce(benchmark::State& state, Operand operand) {
  run(state, 3,
      [operand](DeviceStream& stream, std::byte* into, const std::byte* from, std::size_t bytes) {
        stream.reduce(into, from, static_cast<Count>(bytes / size_of(operand.dtype)), operand);
      });
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& function) {
  for (const std::int64_t bytes : {1 << 20, 64 << 20, 512 << 20})
    benchmark::RegisterBenchmark(("cuda/" + name).c_str(), function)
        ->Arg(bytes)
        ->Iterations(1)
        ->UseManualTime();
}

}  // namespace

void register_cuda() {
  add("copy", copy);
  for (const DType dtype : kDTypes)
    for (const Op op : {Op::sum, Op::max})
      add(std::string(arlab::name(op)) + "/" + std::string(arlab::name(dtype)),
          [dtype, op](benchmark::State& state) {
            reduce(state, {dtype, op});
          });
}

}  // namespace arlab::micro
