// How fast two cores can allreduce at all: float32 sums of two threads in plain memory, with the
// least synchronization that is right, and no messages, plans, or checks. As in `arlab run`, each
// has just written its vector, and both start together. What `arlab run -b shm-mapped` adds to
// these times is its own.
//
// exchange: each copies its vector to a buffer that the other reads, and adds the other's: n bytes
// cross once each way. slices: each adds the other's half to its own, then copies the other's sums:
// n / 2 bytes cross twice each way. exchange_streamed, slices_streamed: the same with copies around
// the caches. flag: one cache line there and back, by two.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "collectives/copy/stream_copy.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/relax.hpp"

namespace arlab::bench::micro {
namespace {

using collectives::DType;
using collectives::Op;
using collectives::Operand;
using Vector = std::vector<std::byte>;

// Each rank has its own line, which only it writes.
struct alignas(128) Flag {
  std::atomic<std::uint32_t> value{0};
  void set(std::uint32_t to) { value.store(to, std::memory_order_release); }
  void wait_for(std::uint32_t least) const {
    for (int spins = 1; value.load(std::memory_order_acquire) < least; ++spins) {
      collectives::relax();
      if (spins % 4096 == 0) std::this_thread::yield();  // on one core, the other must run
    }
  }
};

struct Two {
  explicit Two(std::size_t bytes) {
    for (auto* const pair : {&data, &buffers[0], &buffers[1]})
      for (Vector& vector : *pair) vector.resize(bytes);
  }
  std::array<Flag, 2> flags, ready;
  std::array<Vector, 2> data;
  std::array<std::array<Vector, 2>, 2> buffers;  // of even and odd runs
};

void add(std::byte* into, const std::byte* from, std::size_t bytes) {
  collectives::reduce_into(into, from, static_cast<Count>(bytes / sizeof(float)),
                           {DType::float32, Op::sum});
}

void copy(std::byte* into, const std::byte* from, std::size_t bytes) {
  std::memcpy(into, from, bytes);
}
using Copy = void (*)(std::byte*, const std::byte*, std::size_t);

// The buffer of the run before the last is free: the other has set its flag since it read that.
template <Copy kCopy>
void exchange(Two& two, std::size_t me, std::uint32_t run) {
  auto& buffers = two.buffers[run % 2];
  Vector& mine = two.data[me];
  kCopy(buffers[me].data(), mine.data(), mine.size());
  two.flags[me].set(run);
  two.flags[1 - me].wait_for(run);
  add(mine.data(), buffers[1 - me].data(), mine.size());
}

template <Copy kCopy>
void slices(Two& two, std::size_t me, std::uint32_t run) {
  Vector &mine = two.data[me], &other = two.data[1 - me];
  const std::size_t half = mine.size() / 2, begin = me * half, its_begin = (1 - me) * half;
  const auto meet = [&](std::uint32_t step) {
    two.flags[me].set(3 * run + step);
    two.flags[1 - me].wait_for(3 * run + step);
  };
  meet(0);  // its vector is complete
  add(mine.data() + begin, other.data() + begin, half);
  meet(1);
  kCopy(mine.data() + its_begin, other.data() + its_begin, half);
  meet(2);  // neither writes what the other still copies
}

void flag(Two& two, std::size_t me, std::uint32_t run) {
  if (me == 1) two.flags[0].wait_for(run);
  two.flags[me].set(run);
  if (me == 0) two.flags[1].wait_for(run);
}

using Pattern = void (*)(Two&, std::size_t, std::uint32_t);

double median_seconds(std::vector<double>& all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

// Each iteration of the benchmark is a batch on fresh threads, so that both do as many runs; its
// time is the median run.
void run_pattern(benchmark::State& state, Pattern pattern) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto runs =
      static_cast<std::uint32_t>(std::clamp<std::size_t>((16 << 20) / bytes, 5, 2000));
  Two two(bytes);
  std::uint32_t done = 0;
  for (auto _ : state) {
    std::vector<double> times;
    const auto body = [&](std::size_t me) {
      const Vector input(bytes);
      for (std::uint32_t run = done + 1; run <= done + runs; ++run) {
        std::memcpy(two.data[me].data(), input.data(), bytes);
        two.ready[me].set(run);
        two.ready[1 - me].wait_for(run);
        const auto start = std::chrono::steady_clock::now();
        pattern(two, me, run);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (me == 0) times.push_back(took.count());
      }
    };
    std::thread other(body, 1);
    body(0);
    other.join();
    done += runs;
    state.SetIterationTime(median_seconds(times));
  }
}

}  // namespace

void register_floor() {
  const auto add_pattern = [](const char* name, Pattern pattern, bool any_size) {
    auto* const its = benchmark::RegisterBenchmark(name, run_pattern, pattern)
                          ->UseManualTime()
                          ->Iterations(10)
                          ->Unit(benchmark::kMicrosecond);
    if (!any_size) its->Arg(8);
    for (std::int64_t bytes = 8; any_size && bytes <= 32 << 20; bytes *= 4) its->Arg(bytes);
    if (any_size) its->Arg(64 << 20);
  };
  add_pattern("floor/flag", flag, false);
  add_pattern("floor/exchange", exchange<copy>, true);
  add_pattern("floor/exchange_streamed", exchange<collectives::stream_copy>, true);
  add_pattern("floor/slices", slices<copy>, true);
  add_pattern("floor/slices_streamed", slices<collectives::stream_copy>, true);
}

}  // namespace arlab::bench::micro
