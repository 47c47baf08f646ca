// Special floating-point values as bits, and the minimum and maximum of IEEE 754-2019 by their
// definition, without the code that is tested.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collectives/host/execute.hpp"
#include "collectives/reduce/dispatch_dtype.hpp"
#include "tests/support/grouped.hpp"

namespace arlab::collectives::special {

inline constexpr DType kTypes[] = {DType::float32,  DType::float64,     DType::float16,
                                   DType::bfloat16, DType::float8_e4m3, DType::float8_e5m2};
inline constexpr DType kSmallTypes[] = {DType::float16, DType::bfloat16, DType::float8_e4m3,
                                        DType::float8_e5m2};
inline constexpr Op kOps[] = {Op::min, Op::max};

/// A binary format: its width, its number of fraction bits, and whether it has infinities.
struct Format {
  int width, fraction;
  bool has_infinity = true;
  std::uint64_t sign() const { return std::uint64_t{1} << (width - 1); }
  /// The greatest exponent, of numbers only where there are no infinities.
  std::uint64_t exponent() const { return (sign() - 1) & ~((std::uint64_t{1} << fraction) - 1); }
  /// The greatest magnitude that is not a NaN's.
  std::uint64_t greatest() const { return has_infinity ? exponent() : sign() - 2; }
  std::uint64_t greatest_power() const {
    return has_infinity ? exponent() - (std::uint64_t{1} << fraction) : exponent();
  }
  /// Of 8 bits the one that CUDA's conversions give.
  std::uint64_t quiet_nan() const {
    return width == 8 ? sign() - 1 : exponent() | std::uint64_t{1} << (fraction - 1);
  }
};
inline Format format_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {64, 52};
    case DType::float16:
      return {16, 10};
    case DType::bfloat16:
      return {16, 7};
    case DType::float8_e4m3:
      return {8, 3, false};
    case DType::float8_e5m2:
      return {8, 2};
    default:
      return {32, 23};
  }
}

/// Returns zeros, ones, the smallest and the largest numbers, infinities, and quiet and signaling
/// NaNs with payloads, as far as the type has them, of both signs.
inline std::vector<std::uint64_t> values(DType dtype) {
  const Format f = format_of(dtype);
  const std::uint64_t one = ((std::uint64_t{1} << (f.width - f.fraction - 2)) - 1) << f.fraction;
  std::vector<std::uint64_t> all;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << f.fraction, one, one + 1,
        f.greatest() - 1, f.greatest(), f.greatest() | 1, f.quiet_nan(), f.quiet_nan() | 5})
    for (const std::uint64_t sign : {std::uint64_t{0}, f.sign()}) all.push_back(sign | magnitude);
  return all;
}

/// Returns minimum(a, b) or maximum(a, b), on bits: by the standard's table, on magnitude and sign.
inline std::uint64_t expected(DType dtype, Op op, std::uint64_t a, std::uint64_t b) {
  const Format f = format_of(dtype);
  const auto magnitude = [&](std::uint64_t x) { return x & ~f.sign(); };
  const auto negative = [&](std::uint64_t x) { return (x & f.sign()) != 0; };
  if (magnitude(a) > f.greatest() || magnitude(b) > f.greatest()) return f.quiet_nan();
  bool a_is_less = negative(a);  // also -0 before +0
  if (negative(a) == negative(b))
    a_is_less = negative(a) ? magnitude(a) > magnitude(b) : magnitude(a) < magnitude(b);
  return a_is_less == (op == Op::min) ? a : b;
}

/// Writes the bits as elements of that type.
inline std::vector<std::byte> packed(DType dtype, std::span<const std::uint64_t> bits) {
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> data(bits.size() * size);
  for (std::size_t i = 0; i < bits.size(); ++i)  // little-endian
    std::memcpy(data.data() + i * size, &bits[i], size);
  return data;
}

/// Returns the vector of one rank: every pair and many triples of values meet.
inline std::vector<std::uint64_t> vector_of(DType dtype, Rank rank) {
  const std::vector<std::uint64_t> all = values(dtype);
  const std::size_t n = all.size();
  std::vector<std::uint64_t> mine;
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::size_t digit = rank % 2 == 0 ? i % n : i / n;
    mine.push_back(all[(digit + static_cast<std::size_t>(rank / 2) * (i % 7)) % n]);
  }
  return mine;
}

/// Returns the result that every rank must have, to the bit.
inline std::vector<std::byte> expected_of(DType dtype, Op op, Rank ranks) {
  std::vector<std::uint64_t> all = vector_of(dtype, 0);
  for (Rank rank = 1; rank < ranks; ++rank) {
    const auto more = vector_of(dtype, rank);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = expected(dtype, op, all[i], more[i]);
  }
  return packed(dtype, all);
}

/// Reduces the vectors of all ranks by each algorithm and by the native allreduce unless `native`
/// is false. Returns the number of results with other bits than expected. Every rank calls it.
inline int wrong_replicas(Communicator& communicator, bool native) {
  int wrong = 0;
  const Rank ranks = communicator.ranks();
  for (const DType dtype : kTypes)
    for (const Op op : kOps) {
      const std::vector<std::byte> right = expected_of(dtype, op, ranks);
      const std::vector<std::byte> mine = packed(dtype, vector_of(dtype, communicator.rank()));
      const auto elements = static_cast<Count>(mine.size() / size_of(dtype));
      for (const Algorithm& algorithm : algorithms()) {
        const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = elements});
        if (!unsupported(algorithm, problem).empty()) continue;
        std::vector<std::byte> data = mine;
        execute(communicator, algorithm, problem, data, {dtype, op}, 3);
        wrong += data == right ? 0 : 1;
      }
      if (!native) continue;
      std::vector<std::byte> data = mine;
      communicator.native_allreduce(data.data(), elements, {dtype, op});
      wrong += data == right ? 0 : 1;
    }
  return wrong;
}

/// Averages `ranks` times the greatest power of two of each small type whose sums of that number
/// are exact, by each algorithm and by the native allreduce. Returns the number of ranks' results
/// that are not that value.
inline int wrong_averages(Communicator& communicator) {
  int wrong = 0;
  const Rank ranks = communicator.ranks();
  for (const DType dtype : kSmallTypes) {
    const Format f = format_of(dtype);
    if (ranks > 2 << f.fraction) continue;
    const std::vector<std::uint64_t> values(37, f.greatest_power());
    const std::vector<std::byte> mine = packed(dtype, values);
    const Operand operand{dtype, Op::avg};
    for (const Algorithm& algorithm : algorithms()) {
      const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = 37});
      if (!unsupported(algorithm, problem).empty()) continue;
      std::vector<std::byte> data = mine;
      execute(communicator, algorithm, problem, data, operand, 2);
      wrong += data == mine ? 0 : 1;
    }
    std::vector<std::byte> data = mine;
    communicator.native_allreduce(data.data(), 37, operand);
    wrong += data == mine ? 0 : 1;
  }
  return wrong;
}

}  // namespace arlab::collectives::special
