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

#include "collectives/backends/gpus.hpp"
#include "collectives/gpu/median_time.hpp"

namespace arlab::bench::micro {
namespace {

/// Fills memory with random bits: memory of zeros may be faster than real data.
void fill(collectives::DeviceStream& stream, const collectives::DeviceMemory& memory) {
  std::minstd_rand random;
  std::vector<std::uint32_t> noise(1 << 16);
  for (std::uint32_t& word : noise) word = static_cast<std::uint32_t>(random()) << 1;
  std::size_t filled = std::min(memory.size(), noise.size() * sizeof(noise[0]));
  stream.copy(memory.data(), reinterpret_cast<const std::byte*>(noise.data()), filled);
  for (std::size_t more; filled < memory.size(); filled += more) {
    more = std::min(filled, memory.size() - filled);
    stream.copy(memory.data() + filled, memory.data(), more);
  }
  stream.synchronize();
}

/// Times `work` on the first GPU; it moves `moved` bytes of memory for each of the vector's.
void run(benchmark::State& state, int moved,
         const std::function<void(collectives::DeviceStream&, std::byte*, std::byte*, std::size_t)>&
             work) {
  if (const std::string why = collectives::why_no_gpu(); !why.empty())
    return state.SkipWithError(("skipped: " + why).c_str());
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const collectives::Devices devices = collectives::gpus();
  collectives::Device& gpu = *devices.front();
  static std::map<std::size_t, double> limits;  // of each size, measured once
  if (!limits.contains(bytes)) limits[bytes] = collectives::gpu_copy_limit(gpu, bytes);
  const collectives::DeviceMemory into = gpu.allocate(bytes), from = gpu.allocate(bytes);
  const auto stream = gpu.make_stream();
  fill(*stream, into);
  fill(*stream, from);
  double us = 0;
  for (auto _ : state) {
    us = collectives::median_microseconds(gpu, *stream,
                                          [&] { work(*stream, into.data(), from.data(), bytes); });
    state.SetIterationTime(us * 1e-6);
  }
  const double total = static_cast<double>(bytes) * moved;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes) * moved);
  state.counters["of_copy"] = total / us / 1e3 / limits[bytes];
}

void copy(benchmark::State& state) {
  run(state, 2,
      [](collectives::DeviceStream& stream, std::byte* into, const std::byte* from,
         std::size_t bytes) { stream.copy(into, from, bytes); });
}

void reduce(benchmark::State& state, collectives::Operand operand) {
  run(state, 3,
      [operand](collectives::DeviceStream& stream, std::byte* into, const std::byte* from,
                std::size_t bytes) {
        stream.reduce(into, from, static_cast<Count>(bytes / collectives::size_of(operand.dtype)),
                      operand);
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
  for (const collectives::DType dtype : collectives::kDTypes)
    for (const collectives::Op op : {collectives::Op::sum, collectives::Op::max})
      add(std::string(arlab::collectives::name(op)) + "/" +
              std::string(arlab::collectives::name(dtype)),
          [dtype, op](benchmark::State& state) {
            reduce(state, {dtype, op});
          });
}

}  // namespace arlab::bench::micro
