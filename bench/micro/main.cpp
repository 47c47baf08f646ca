// arlab_micro: runs the micro-benchmarks; --help lists Google Benchmark's options.
#include <benchmark/benchmark.h>

#include "bench/micro/micro.hpp"

int main(int argc, char** argv) {
  constexpr int kUsage = 2;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kUsage;
  arlab::bench::micro::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
