// Allreduce over threads: the whole catalog and the backend's own, float32, without the checks
// that `arlab run` makes. bytes = bytes of one rank's vector; time is that of rank 0.
#include "collectives/threads/threads.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "collectives/host/execute.hpp"

namespace arlab::bench::micro {
namespace {

// All ranks must do the same number of runs, so each iteration of the benchmark is a batch on fresh
// threads.
void allreduce(benchmark::State& state, const Algorithm* algorithm) {
  constexpr int kBatch = 50;
  const auto ranks = static_cast<Rank>(state.range(0));
  const Problem problem{.ranks = ranks, .elements = state.range(1) / 4};
  for (auto _ : state)
    collectives::on_threads(ranks, [&](collectives::Communicator& communicator) {
      std::vector<std::byte> data(static_cast<std::size_t>(state.range(1)));
      communicator.barrier();
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < kBatch; ++k)
        if (algorithm)
          collectives::execute(communicator, *algorithm, problem, data, {});
        else
          communicator.native_allreduce(data.data(), problem.elements, {});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (communicator.rank() == 0) state.SetIterationTime(took.count());
    });
  state.SetBytesProcessed(state.iterations() * kBatch * state.range(1));
  state.SetItemsProcessed(state.iterations() * kBatch);
}

}  // namespace

void register_threads() {
  const auto add = [](std::string name, const Algorithm* algorithm) {
    benchmark::RegisterBenchmark(("threads/" + name).c_str(), allreduce, algorithm)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->ArgNames({"ranks", "bytes"})
        ->ArgsProduct({{2, 4}, {1 << 10, 1 << 20}});
  };
  for (const Algorithm& algorithm : algorithms())
    if (unsupported(algorithm, {.ranks = 2}).empty()) add(std::string(algorithm.name), &algorithm);
  add("native", nullptr);
}

}  // namespace arlab::bench::micro
