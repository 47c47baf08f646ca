// Reduce kernels: into[i] = into[i] + from[i] for every type, in cache and in memory, beside a copy
// of the same size: an addition reads twice and writes once what a copy reads once and writes once,
// so memory allows it 2/3 of the copy's rate. bytes = bytes of one vector.
#include "collectives/reduce/reduce.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

namespace arlab::bench::micro {
namespace {

constexpr std::int64_t kInCache = 16 << 10, kInMemory = 64 << 20;  // bytes

void add(benchmark::State& state, collectives::DType dtype) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<std::byte> into(bytes), from(bytes);
  const auto elements = static_cast<Count>(bytes / collectives::size_of(dtype));
  for (auto _ : state) {
    collectives::reduce_into(into.data(), from.data(), elements, {dtype, collectives::Op::sum});
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  state.SetLabel(std::string(collectives::reduce_instructions()));
}

void copy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<std::byte> into(bytes), from(bytes);
  for (auto _ : state) {
    std::memcpy(into.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

}  // namespace

void register_reduce() {
  for (const std::int64_t bytes : {kInCache, kInMemory}) {
    benchmark::RegisterBenchmark("reduce/memcpy", copy)->Arg(bytes);
    for (const collectives::DType dtype : collectives::kDTypes)
      benchmark::RegisterBenchmark(("reduce/add/" + std::string(name(dtype))).c_str(), add, dtype)
          ->Arg(bytes);
  }
}

}  // namespace arlab::bench::micro
