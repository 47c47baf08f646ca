// Reduce kernels: into[i] = into[i] op from[i] for every type and operation, in the cache of a core
// and beyond it, beside a copy, and beside the exclusive or of the same bytes, which reads twice
// and writes once as a reduction does: what memory allows one (of_limit). bytes = bytes of one
// vector.
#include "collectives/reduce/reduce.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace arlab::bench::micro {
namespace {

constexpr std::int64_t kBytes[] = {16 << 10, 4 << 20, 64 << 20};
constexpr std::int64_t kBeyondCaches = 1 << 20;

[[gnu::always_inline]] inline void exclusive_or(std::uint64_t* into, const std::uint64_t* from,
                                                std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) into[i] ^= from[i];
}

using ExclusiveOr = void (*)(std::uint64_t*, const std::uint64_t*, std::size_t);
#ifdef __x86_64__
[[gnu::target("avx512f,prefer-vector-width=512")]] void exclusive_or_avx512(
    std::uint64_t* into, const std::uint64_t* from, std::size_t words) {
  exclusive_or(into, from, words);
}
[[gnu::target("avx2")]] void exclusive_or_avx2(std::uint64_t* into, const std::uint64_t* from,
                                               std::size_t words) {
  exclusive_or(into, from, words);
}
ExclusiveOr widest_exclusive_or() {
  return __builtin_cpu_supports("avx512f") ? exclusive_or_avx512
         : __builtin_cpu_supports("avx2")
             ? exclusive_or_avx2
             : +[](std::uint64_t* into, const std::uint64_t* from, std::size_t words) {
                 exclusive_or(into, from, words);
               };
}
#else
ExclusiveOr widest_exclusive_or() {
  return [](std::uint64_t* into, const std::uint64_t* from, std::size_t words) {
    exclusive_or(into, from, words);
  };
}
#endif

void read_read_write(benchmark::State& state) {
  const auto words = static_cast<std::size_t>(state.range(0)) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> into(words), from(words);
  const ExclusiveOr combine = widest_exclusive_or();
  for (auto _ : state) {
    combine(into.data(), from.data(), words);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Beyond the caches of a core, each call follows one of the limit's on the same memory, outside of
// the time: of_limit is the median of the limit's time / its time. What others do on the machine
// slows both.
void reduce(benchmark::State& state, collectives::Operand operand) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<std::uint64_t> into(bytes / sizeof(std::uint64_t)), from(into.size());
  const auto elements = static_cast<Count>(bytes / collectives::size_of(operand.dtype));
  const auto combine = [&] {
    collectives::reduce_into(std::as_writable_bytes(std::span(into)).data(),
                             std::as_bytes(std::span(from)).data(), elements, operand);
    benchmark::ClobberMemory();
  };
  const ExclusiveOr limit = widest_exclusive_or();
  std::vector<double> of_limit;
  for (auto _ : state) {
    if (state.range(0) < kBeyondCaches) {
      combine();
      continue;
    }
    state.PauseTiming();
    const double start = now();
    limit(into.data(), from.data(), into.size());
    benchmark::ClobberMemory();
    const double limit_s = now() - start;
    state.ResumeTiming();
    const double begin = now();
    combine();
    of_limit.push_back(limit_s / (now() - begin));
  }
  if (!of_limit.empty()) state.counters["of_limit"] = median(of_limit);
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
  using collectives::DType;
  using collectives::Op;
  for (const std::int64_t bytes : kBytes) {
    benchmark::RegisterBenchmark("reduce/memcpy", copy)->Arg(bytes);
    benchmark::RegisterBenchmark("reduce/read_read_write", read_read_write)->Arg(bytes);
    for (const DType dtype : collectives::kDTypes) {
      for (const Op op : {Op::sum, Op::prod, Op::min, Op::max}) {
        const std::string word = op == Op::sum ? "add" : std::string(name(op));
        benchmark::RegisterBenchmark(("reduce/" + word + "/" + std::string(name(dtype))).c_str(),
                                     reduce, collectives::Operand{dtype, op})
            ->Arg(bytes);
      }
    }
  }
}

}  // namespace arlab::bench::micro
