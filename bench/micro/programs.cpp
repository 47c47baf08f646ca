// Program generation: how many actions a second the coroutines of all ranks yield. items = actions.
#include <benchmark/benchmark.h>

#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab::bench::micro {
namespace {

Count generate(const Algorithm& algorithm, const Problem& problem) {
  Count actions = 0;
  for (Rank r = 0; r < problem.ranks; ++r)
    for (Program program = algorithm.program(problem, r); program.next();) {
      const Round round = program.round();
      benchmark::DoNotOptimize(round.data());
      actions += static_cast<Count>(round.size());
    }
  return actions;
}

}  // namespace

void register_programs() {
  for (const Algorithm& algorithm : algorithms())
    for (const Rank ranks : {64, 1024}) {
      if (!unsupported(algorithm, {.ranks = ranks}).empty()) continue;  // needs groups
      const auto run = [&algorithm, ranks](benchmark::State& state) {
        Count actions = 0;
        for (auto _ : state) actions += generate(algorithm, {.ranks = ranks, .elements = 1 << 20});
        state.SetItemsProcessed(actions);
      };
      const std::string name =
          "programs/" + std::string(algorithm.name) + "/ranks:" + std::to_string(ranks);
      benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace arlab::bench::micro
