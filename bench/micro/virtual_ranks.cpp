// Virtual ranks: turns of threads, and allreduces, a second of the machine's time.
// items = turns, or allreduces; CPU is that of all threads; virtual_us = what one takes in virtual
// time.
#include <benchmark/benchmark.h>

#include <vector>

#include "collectives/host/execute.hpp"
#include "simulator/models/model.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace arlab::bench::micro {
namespace {

void turns(benchmark::State& state) {
  const auto ranks = static_cast<Rank>(state.range(0));
  Count all = 0;
  for (auto _ : state) {
    const auto network = simulator::make_network(simulator::find_model("alpha_beta"), {}, ranks);
    all +=
        training::on_emulated_ranks(*network, ranks, [&](collectives::Communicator& communicator) {
          for (Rank k = 0; k < 20000 / ranks; ++k) communicator.barrier();
        }).turns;
  }
  state.SetItemsProcessed(all);
}

void allreduce(benchmark::State& state) {
  constexpr int kBatch = 10;
  const auto ranks = static_cast<Rank>(state.range(0));
  const Problem problem{.ranks = ranks, .elements = state.range(1) / 4};
  Time took{};
  for (auto _ : state) {
    const auto network = simulator::make_network(simulator::find_model("loggops"), {}, ranks);
    took =
        training::on_emulated_ranks(*network, ranks, [&](collectives::Communicator& communicator) {
          std::vector<std::byte> data(static_cast<std::size_t>(state.range(1)));
          for (int k = 0; k < kBatch; ++k)
            collectives::execute(communicator, find_algorithm("ring"), problem, data, {});
        }).finish;
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
  state.counters["virtual_us"] = microseconds(took) / kBatch;
}

}  // namespace

void register_virtual_ranks() {
  benchmark::RegisterBenchmark("virtual/turns", turns)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->ArgName("ranks")
      ->Arg(2)
      ->Arg(64);
  benchmark::RegisterBenchmark("virtual/ring", allreduce)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->ArgNames({"ranks", "bytes"})
      ->ArgsProduct({{2, 16, 64}, {1 << 10, 1 << 20}});
}

}  // namespace arlab::bench::micro
