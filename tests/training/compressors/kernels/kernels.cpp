// Every instruction set gives the bits of the baseline, for all lengths and special values.
#include "training/compressors/kernels/kernels.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "collectives/reduce/isa.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

std::vector<float> odd_gradient(Count n) {
  std::vector<float> x = test::gradient(n, 3);
  const float special_values[] = {0.0f,   -0.0f,     std::numeric_limits<float>::quiet_NaN(),
                                  1e-42f, -INFINITY, std::numeric_limits<float>::max()};
  for (std::size_t i = 0; i < x.size(); i += 7)
    x[i] = special_values[i / 7 % std::size(special_values)];
  return x;
}

/// Returns all outputs of a set of kernels for x, as bytes.
std::vector<std::byte> everything(const EncodeKernels& k, const std::vector<float>& x) {
  const auto n = static_cast<Count>(x.size());
  std::vector<std::byte> all;
  const auto keep = [&](const auto* data, Count count) {
    const auto bytes = std::as_bytes(std::span(data, static_cast<std::size_t>(count)));
    all.insert(all.end(), bytes.begin(), bytes.end());
  };
  const auto keep_value = [&](auto value) { keep(&value, 1); };
  std::vector<std::byte> code(x.size() * 4 + 64);
  std::vector<float> into = test::gradient(n, 5);

  k.to_halves(code.data(), x.data(), n, 3);
  keep(code.data(), 2 * n);
  k.add_halves(into.data(), code.data(), n, 0.3f);
  k.to_bfloats(code.data(), x.data(), n);
  keep(code.data(), 2 * n);
  k.add_bfloats(into.data(), code.data(), n, 0.3f);
  k.pack_signs(code.data(), x.data(), n);
  keep(code.data(), (n + 7) / 8);
  k.add_signs(into.data(), code.data(), n, 0.25f, -3.0f);
  for (const bool odd : {false, true}) {
    k.pack_votes(code.data(), x.data(), n, odd);
    keep(code.data(), (n + 7) / 8);
  }

  const std::vector<float> finite = test::gradient(n, 3);
  const SignSums sums = k.sign_sums(finite.data(), n);
  keep_value(sums.clear), keep_value(sums.set), keep_value(sums.negatives);
  keep_value(k.sum_of_magnitudes(finite.data(), n));
  keep_value(k.sum_of_squares(finite.data(), n));
  keep_value(k.dot(finite.data(), into.data(), 0));
  keep_value(k.dot(finite.data(), finite.data(), n));
  const Extent extent = k.extent(x.data(), n);
  keep_value(extent.min), keep_value(extent.max), keep_value(extent.finite);
  keep_value(k.largest(x.data(), n));
  k.add_scaled(into.data(), finite.data(), n, 0.7f);

  std::vector<std::uint32_t> random((x.size() + 63) / 64 * 64);
  k.random(random.data(), 2, static_cast<Count>(random.size()) / 64, 12345);
  keep(random.data(), static_cast<Count>(random.size()));
  k.to_bytes(code.data(), finite.data(), n, 127, 100);
  keep(code.data(), n);
  k.add_bytes(into.data(), code.data(), n, 0.01f, 100);
  k.round_to_powers_of_two(code.data(), x.data(), random.data(), n);
  keep(code.data(), n);
  std::vector<std::uint8_t> levels(x.size()), back(x.size());
  for (const int max : {1, 7, 60}) {
    k.to_levels(levels.data(), finite.data(), random.data(), n, static_cast<float>(max), max);
    const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(2 * max)));
    k.pack(code.data(), levels.data(), n, bits);
    keep(code.data(), (n * bits + 7) / 8);
    k.unpack(back.data(), code.data(), n, bits);
    keep_value(back == levels);
    if (back != levels) keep("unpacked differently", 18);
  }
  std::vector<std::uint32_t> bins(kBins), at(x.size() + 16);
  k.histogram(bins.data(), x.data(), n);
  keep(bins.data(), static_cast<Count>(kBins));
  for (const std::uint32_t min : {0u, 1u, 0x3e000000u, kInfinity}) {
    const Count found = k.select(at.data(), x.data(), n, min);
    keep_value(found), keep_value(k.count(x.data(), n, min) == found);
    keep(at.data(), found);
  }
  k.drop_not_finite(into.data(), n);
  keep(into.data(), n);
  return all;
}

}  // namespace

TEST_CASE("all instruction sets give the same bits") {
  const EncodeKernels& plain = baseline_encode_kernels();
  const EncodeKernels& chosen = encode_kernels();
  const EncodeKernels& second = select_isa(plain, avx2_encode_kernels(), {});
  for (Count n = 0; n < 200; n += n < 70 ? 1 : 13) {
    INFO(n << " elements");
    const auto x = odd_gradient(n);
    const auto expected = everything(plain, x);
    CHECK(everything(chosen, x) == expected);
    CHECK(everything(second, x) == expected);
  }
}

TEST_CASE("votes are sign bits, and those of zeros are set at odd or at even positions") {
  for (const Count n : {1, 31, 64, 150})
    for (const bool odd : {false, true}) {
      const auto x = odd_gradient(n);
      std::vector<std::byte> bits(static_cast<std::size_t>((n + 7) / 8));
      encode_kernels().pack_votes(bits.data(), x.data(), n, odd);
      Count wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool expected = x[i] == 0 ? (i % 2 == 1) == odd : std::signbit(x[i]);
        wrong += (static_cast<int>(bits[i / 8]) >> (i % 8) & 1) != static_cast<int>(expected);
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("packed codes of every width unpack to the same codes, the first one lowest") {
  for (int bits = 1; bits <= 8; ++bits)
    for (const Count n : {0, 1, 7, 8, 9, 100}) {
      std::vector<std::uint8_t> codes, back(static_cast<std::size_t>(n));
      for (Count i = 0; i < n; ++i)
        codes.push_back(static_cast<std::uint8_t>((i * 37 + 5) & ((1 << bits) - 1)));
      std::vector<std::byte> packed(static_cast<std::size_t>((n * bits + 7) / 8));
      baseline_encode_kernels().pack(packed.data(), codes.data(), n, bits);
      Count wrong = 0;
      for (Count i = 0; i < n * bits; ++i) {
        const int bit = static_cast<int>(packed[static_cast<std::size_t>(i / 8)]) >> (i % 8) & 1;
        wrong += bit != (codes[static_cast<std::size_t>(i / bits)] >> (i % bits) & 1);
      }
      CHECK(wrong == 0);
      baseline_encode_kernels().unpack(back.data(), packed.data(), n, bits);
      CHECK(back == codes);
    }
}

TEST_CASE("the kernel's random words equal words drawn one by one, for any first word") {
  const Random random(42);
  std::vector<std::uint32_t> words(3 * kRandomGroup);
  encode_kernels().random(words.data(), 5, 3, random.key());
  Count wrong = 0;
  for (Count i = 0; i < 3 * kRandomGroup; ++i)
    wrong += words[static_cast<std::size_t>(i)] != random_word(5 * kRandomGroup + i, random);
  CHECK(wrong == 0);
}
