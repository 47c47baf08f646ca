// Sparse allreduces over threads beside the dense ring, by how many of the elements each rank has.
// sent_bytes: of the rank that sends most. Time is that of rank 0, without a network: it shows what
// merging costs; what a network makes of the bytes is the simulator's business.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "algorithms/base/random.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/threads/threads.hpp"
#include "training/compressors/sparse/sparse_balanced.hpp"
#include "training/compressors/sparse/sparse_doubling.hpp"

namespace arlab::bench::micro {
namespace {

constexpr Count kElements = 1 << 20;
constexpr int kBatch = 10;

/// Positions of every rank's own, evenly spread.
training::SparseVector entries(Count k, Rank rank) {
  training::SparseVector chosen;
  const Random random = Random(7).of(static_cast<std::uint64_t>(rank));
  const Blocks blocks(kElements, k);
  for (Count j = 0; j < k; ++j) {
    const auto number = static_cast<std::uint64_t>(j);
    chosen.push_back(
        {static_cast<std::uint32_t>(blocks.begin(j) + random.below(blocks.size(j), number)),
         static_cast<float>(number % 17)});
  }
  return chosen;
}

template <class Step>
void run(benchmark::State& state, Step step) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const Count k = kElements / state.range(1);
  double most = 0;
  for (auto _ : state)
    collectives::on_threads(ranks, [&](collectives::Communicator& communicator) {
      const training::SparseVector mine = entries(k, communicator.rank());
      std::vector<float> vector(kElements, 1);
      training::BalancedSum balanced(kElements, {});
      collectives::CountingCommunicator counted(communicator);
      communicator.barrier();
      const auto start = std::chrono::steady_clock::now();
      for (int b = 0; b < kBatch; ++b) step(counted, mine, vector, balanced);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const double sent = communicator.max(static_cast<double>(counted.sent().bytes) / kBatch);
      if (communicator.rank() == 0) state.SetIterationTime(took.count() / kBatch), most = sent;
    });
  state.counters["sent_bytes"] = most;
}

}  // namespace

void register_sparse() {
  const auto add = [](const char* name, auto step) {
    benchmark::RegisterBenchmark((std::string("sparse/") + name).c_str(),
                                 [step](benchmark::State& state) { run(state, step); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->ArgNames({"ranks", "part"})
        ->ArgsProduct({{2, 4, 8}, {1000, 100, 10}});
  };
  add("dense_ring", [](collectives::Communicator& c, const training::SparseVector&,
                       std::vector<float>& x, training::BalancedSum&) {
    collectives::execute(c, find_algorithm("ring"), {.ranks = c.ranks(), .elements = kElements},
                         std::as_writable_bytes(std::span(x)), {});
  });
  add("doubling", [](collectives::Communicator& c, const training::SparseVector& mine, auto&,
                     training::BalancedSum&) {
    benchmark::DoNotOptimize(training::sum_by_doubling(c, mine, kElements).bytes());
  });
  add("balanced", [](collectives::Communicator& c, const training::SparseVector& mine, auto&,
                     training::BalancedSum& balanced) {
    benchmark::DoNotOptimize(balanced.run(c, mine, static_cast<Count>(mine.size())).size());
  });
}

}  // namespace arlab::bench::micro
