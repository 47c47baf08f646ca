// Verification: the proof of the whole catalog for every number of ranks from 1 to 64, in one
// iteration. items = proofs.
#include "algorithms/verify/verify.hpp"

#include <benchmark/benchmark.h>

namespace arlab::bench::micro {
namespace {

void prove_all(benchmark::State& state) {
  Count proofs = 0;
  for (auto _ : state)
    for (const Algorithm& algorithm : algorithms())
      for (Rank ranks = 1; ranks <= 64; ++ranks, ++proofs)
        if (!unsupported(algorithm, {.ranks = ranks}).empty())
          continue;  // needs groups
        else if (const Proof proof = verify(algorithm, {.ranks = ranks, .elements = 1000}); !proof)
          return state.SkipWithError(proof.fault.text.c_str());
  state.SetItemsProcessed(proofs);
}

}  // namespace

void register_verify() {
  benchmark::RegisterBenchmark("verify/catalog/ranks:1..64", prove_all)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace arlab::bench::micro
