// Shared by tests of compressors: gradients, choices that reach every phase in a few steps, and
// compression on a single rank.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training::test {

/// Returns numbers between -1 and 1, many of them small; equal arguments give equal numbers.
inline std::vector<float> gradient(Count n, Rank rank = 0, Count step = 0) {
  std::vector<float> x(static_cast<std::size_t>(n));
  std::uint64_t state = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(1 + rank + 64 * step);
  for (float& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto u = static_cast<double>(state >> 40) * 0x1p-23 - 1;
    v = static_cast<float>(u * u * u);
  }
  return x;
}

/// Returns a choice with parameters that reach every phase in the first steps.
inline CompressorChoice quick(const CompressorKind& kind) {
  const auto with = [&](const char* settings) {
    return choose_compressor(std::string(kind.name) + settings);
  };
  if (kind.name == "onebit_adam") return with(":freeze=2");
  if (kind.name == "dgc") return with(":warm_up=1,ratio=0.05");
  if (kind.name == "topk" || kind.name == "randomk") return with(":ratio=0.1");
  if (kind.name == "int8" || kind.name == "qsgd") return with(":bucket=100");
  return with("");
}

/// Returns a matrix and a vector with n elements in all.
inline TensorShapes layout_of(Count n) {
  const Count rows = n / 40, matrix = rows * 30;
  return {{rows, 30}, {1, n - matrix}};
}

inline Aggregation first_aggregation(const CompressorChoice& choice) {
  return choice.kind->aggregations.front();
}

/// Encodes on a single rank: all passes, with this rank's codes as their sums.
inline std::vector<std::byte> encode_alone(Compressor& compressor, std::span<const float> x,
                                           const EncodeContext& context) {
  auto code = compressor.encode(x, context);
  for (int pass = 1; pass < compressor.passes(); ++pass) code = compressor.next(context);
  return {code.begin(), code.end()};
}

/// Returns the decoded code of x from a single rank.
inline std::vector<float> through(Compressor& compressor, std::span<const float> x,
                                  const EncodeContext& context = {}) {
  const auto code = encode_alone(compressor, x, context);
  std::vector<float> out(x.size(), 123.0f);
  decode(compressor, code, out, context);
  return out;
}
inline std::vector<float> through(const std::string& spec, std::span<const float> x,
                                  const EncodeContext& context = {}) {
  const CompressorChoice choice = choose_compressor(spec);
  const auto compressor =
      make_compressor(choice, flat(static_cast<Count>(x.size())), first_aggregation(choice));
  return through(*compressor, x, context);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace arlab::training::test
