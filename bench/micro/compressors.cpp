// Compressors: the whole catalog's encoding and decoding of float32 gradients in cache and in
// memory, beside a copy of the same gradient; and the parts that have a target of their own: the
// selection of top-k alone. items = elements, bytes = bytes of the gradient.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "training/compressors/codes.hpp"
#include "training/compressors/compressor.hpp"
#include "training/compressors/sparse/sparse_code.hpp"

namespace arlab::bench::micro {
namespace {

constexpr Count kColumns = 1024;
constexpr Count kInCache = 16 << 10, kInMemory = 16 << 20;  // elements

/// Roughly normal numbers.
std::vector<float> gradient(Count n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  const Random random(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t word = random(i);
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += static_cast<float>(word >> 16 * k & 0xffff) / 65536 - 0.5f;
    x[i] = sum;
  }
  return x;
}

void report(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * state.range(0) * Count{sizeof(float)});
  state.SetLabel(std::string(training::encode_kernels().instructions));
}

void copy(benchmark::State& state) {
  const auto x = gradient(state.range(0));
  std::vector<float> into(x.size());
  for (auto _ : state) {
    std::memcpy(into.data(), x.data(), x.size() * sizeof(float));
    benchmark::ClobberMemory();
  }
  report(state);
}

std::unique_ptr<training::Compressor> made(const training::CompressorKind& kind, Count n) {
  return training::make_compressor(
      training::choose_compressor(
          kind, {}, kind.feedback == training::Feedback::built_in ? std::optional<bool>() : false),
      {{n / kColumns, kColumns}}, kind.aggregations[0]);
}

// The last pass's code alone, with the first for its sum.
std::span<std::byte> encode(training::Compressor& compressor, std::span<const float> x,
                            const training::EncodeContext& o) {
  auto code = compressor.encode(x, o);
  for (int pass = 1; pass < compressor.passes(); ++pass) code = compressor.next(o);
  return code;
}

void encode_all(benchmark::State& state, const training::CompressorKind& kind) {
  const auto x = gradient(state.range(0));
  const auto compressor = made(kind, state.range(0));
  training::EncodeContext o{.step = 1 << 20};  // after every warm-up
  for (auto _ : state) {
    const auto code = encode(*compressor, x, o);
    benchmark::DoNotOptimize(code.data());
    benchmark::ClobberMemory();
    ++o.step;
  }
  report(state);
}

void decode_all(benchmark::State& state, const training::CompressorKind& kind) {
  const auto x = gradient(state.range(0));
  const auto compressor = made(kind, state.range(0));
  std::vector<float> into(x.size());
  const training::EncodeContext o{.step = 1 << 20};
  const auto code = encode(*compressor, x, o);
  for (auto _ : state) {
    compressor->decode_add(code, into, 1, o);
    benchmark::ClobberMemory();
  }
  report(state);
}

void select(benchmark::State& state) {
  const auto x = gradient(state.range(0));
  training::Selector selector;
  for (auto _ : state)
    benchmark::DoNotOptimize(selector.largest(x, state.range(0) / state.range(1)).data());
  report(state);
}

}  // namespace

void register_compressors() {
  for (const Count n : {kInCache, kInMemory}) {
    benchmark::RegisterBenchmark("compressors/memcpy", copy)->Arg(n);
    for (const training::CompressorKind& kind : training::compressors()) {
      const auto add = [&](const char* what, auto run) {
        const std::string name = std::string("compressors/") + what + std::string(kind.name);
        benchmark::RegisterBenchmark(name.c_str(), run)->Arg(n)->Unit(benchmark::kMicrosecond);
      };
      add("encode/", [&kind](benchmark::State& state) { encode_all(state, kind); });
      add("decode/", [&kind](benchmark::State& state) { decode_all(state, kind); });
    }
    for (const Count part : {1000, 100, 10})
      benchmark::RegisterBenchmark("compressors/select/part", select)
          ->Args({n, part})
          ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace arlab::bench::micro
