// Kernels on a GPU: the copy and the reductions, beside CUDA's own copy of the same memory. bytes =
// bytes read and written, so that all of them could reach the copy's rate; of_copy = by that rate.
// Time is the device's own, by events.
#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "collectives/backends/gpus.hpp"

namespace arlab::bench::micro {
namespace {

/// Times `work` on the first GPU; it moves `moved` bytes of memory for each of the vector's.
void run(benchmark::State& state, int moved,
         const std::function<void(collectives::DeviceStream&, std::byte*, std::byte*, std::size_t)>&
             work) {
  if (const std::string why = collectives::why_no_gpu(); !why.empty())
    return state.SkipWithError(("skipped: " + why).c_str());
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const collectives::Devices devices = collectives::gpus();
  collectives::Device& gpu = *devices.front();
  const collectives::DeviceMemory into = gpu.allocate(bytes), from = gpu.allocate(bytes);
  const auto stream = gpu.make_stream();
  const auto start = gpu.make_event(true), stop = gpu.make_event(true);
  double seconds = 0;
  work(*stream, into.data(), from.data(), bytes);
  for (auto _ : state) {
    stream->record(start);
    work(*stream, into.data(), from.data(), bytes);
    stream->record(stop);
    const double took = stream->microseconds_between(start, stop) * 1e-6;
    state.SetIterationTime(took);
    seconds += took;
  }
  const double total = static_cast<double>(state.iterations()) * static_cast<double>(bytes) * moved;
  state.SetBytesProcessed(static_cast<std::int64_t>(total));
  state.counters["of_copy"] = total / seconds / 1e9 / collectives::gpu_copy_limit();
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
    benchmark::RegisterBenchmark(("cuda/" + name).c_str(), function)->Arg(bytes)->UseManualTime();
}

}  // namespace

void register_cuda() {
  add("copy", copy);
  for (const collectives::DType dtype : collectives::kDTypes)
    for (const collectives::Op op : {collectives::Op::sum, collectives::Op::max})
      add(std::string(arlab::collectives::name(op)) + "/" + std::string(arlab::collectives::name(dtype)),
          [dtype, op](benchmark::State& state) {
            reduce(state, {dtype, op});
          });
}

}  // namespace arlab::bench::micro
