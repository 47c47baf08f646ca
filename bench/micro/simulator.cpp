// Simulation: messages a second for the whole catalog under every model, and memory a rank where
// a run is long enough to watch it. items = messages.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#endif

namespace arlab::bench::micro {
namespace {

constexpr Count kMostMessages = 4'000'000;  // so that a run takes a second at most
constexpr Count kElements = 1 << 18;

// Bytes allocated now; 0 where the C library does not tell.
double allocated() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

void run(benchmark::State& state, const Algorithm& algorithm, const simulator::Model& model,
         const Problem& problem) {
  const double before = allocated();
  double most = 0;
  const simulator::SimulateOptions options{
      .progress = [&](Count) { most = std::max(most, allocated() - before); }};
  Count messages = 0;
  for (auto _ : state) {
    const auto network = simulator::make_network(model, {}, problem.ranks);
    messages += simulator::simulate(algorithm, problem, 4, *network, options).sent.messages;
  }
  state.SetItemsProcessed(messages);
  if (most > 0) state.counters["bytes_per_rank"] = most / problem.ranks;
}

}  // namespace

void register_simulator() {
  for (const simulator::Model& model : simulator::models())
    for (const Algorithm& algorithm : algorithms())
      for (const Rank ranks : {64, 1024, 65536}) {
        const Problem problem{.ranks = ranks, .elements = kElements};
        if (!unsupported(algorithm, problem).empty()) continue;  // needs groups
        if (model.name == "packet" && ranks > 64) continue;      // it is for small runs
        if (predicted_cost(algorithm, problem).messages > kMostMessages) continue;
        const std::string name = "simulator/" + std::string(model.name) + "/" +
                                 std::string(algorithm.name) + "/ranks:" + std::to_string(ranks);
        benchmark::RegisterBenchmark(name.c_str(), [&algorithm, &model,
                                                    problem](benchmark::State& state) {
          run(state, algorithm, model, problem);
        })->Unit(benchmark::kMillisecond);
      }
}

}  // namespace arlab::bench::micro
