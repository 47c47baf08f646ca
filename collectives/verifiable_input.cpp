#include "collectives/verifiable_input.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/spec.hpp"
#include "collectives/reduce/dispatch_dtype.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

// Values repeat with this prime period, which no chunk boundary follows.
constexpr Count kPeriod = 1021;

bool is_unsigned(DType dtype) {
  return dtype == DType::uint8 || dtype == DType::uint32 || dtype == DType::uint64;
}
bool is_integer(DType dtype) {
  return is_unsigned(dtype) || dtype == DType::int8 || dtype == DType::int32 ||
         dtype == DType::int64;
}
bool has_8_bits(DType dtype) { return size_of(dtype) == 1; }

std::uint32_t mix(Rank rank, Count index) {
  std::uint32_t x = static_cast<std::uint32_t>(rank) * 0x9e3779b9u +
                    static_cast<std::uint32_t>(index) * 0x85ebca6bu + 0x27d4eb2fu;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// The largest sum of magnitudes that keeps every partial sum exact in the type.
Count exact_sum(DType dtype) {
  switch (dtype) {
    case DType::int8:
    case DType::uint8:
      return 100;
    case DType::float8_e5m2:
      return 8;
    case DType::float8_e4m3:
      return 16;
    case DType::bfloat16:
      return 256;
    case DType::float16:
      return 2048;
    default:
      return 1 << 20;
  }
}

// Never zero, so that it shows when it is missing or doubled; only where even ones would add up to
// too much, some ranks are zero, in turn.
double addend(Operand operand, Rank ranks, Rank rank, Count index) {
  const Count limit = exact_sum(operand.dtype), reach = std::min<Count>(limit / ranks, 1000);
  const std::uint32_t random = mix(rank, index);
  const double sign = random & 1u && !is_unsigned(operand.dtype) ? -1 : 1;
  if (reach > 0) return sign * static_cast<double>(1 + (random >> 1) % reach);
  const Count turn = (ranks + limit - 1) / limit;
  return (rank + index) % turn == 0 ? sign : 0;
}

// Powers of two and signs, never 1; at most 14 ranks have a power other than 1, since 2^14 and
// 2^-14 are normal numbers of floating-point types from 16 bits on, and at most 6 of 8 bits.
// Unsigned numbers wrap around: -1 is the largest.
double factor(Operand operand, Rank ranks, Rank rank, Count index) {
  const Count powers = has_8_bits(operand.dtype) ? 6 : 14, turn = (ranks + powers - 1) / powers;
  if ((rank + index) % turn != 0) return -1;
  const std::uint32_t random = mix(rank, index);
  const double power = is_integer(operand.dtype) || random & 2u ? 2 : 0.5;
  return random & 1u ? -power : power;
}

// Multiples of what small floats are divided by before they are added, so that the quotients are
// exact, too. On more than 256 ranks of 256 only: on up to 2^17 the quotients are then multiples of
// 2^-9, which every type has.
double averaged(Operand operand, Rank ranks, Rank rank, Count index) {
  constexpr double kMostUnit = 256;
  return std::min(divisors_of(operand, ranks).before, kMostUnit) *
         addend(operand, ranks, rank, index);
}

// For each element another rank holds the minimum (or maximum) alone.
double candidate(Operand operand, Rank ranks, Rank rank, Count index) {
  if (is_unsigned(operand.dtype)) {  // of small, middle and large numbers
    const auto random = static_cast<double>(mix(rank, index) % 40);
    return random + (index % ranks != rank ? 40 : operand.op == Op::min ? 0 : 80);
  }
  const std::uint32_t random = mix(rank, index) % (has_8_bits(operand.dtype) ? 27 : 100);
  if (index % ranks != rank) return static_cast<double>(random) - 50;
  const double extreme = 100 + static_cast<double>(random);
  return operand.op == Op::min ? -extreme : extreme;
}

double contribution(Operand operand, Rank ranks, Rank rank, Count index) {
  switch (operand.op) {
    case Op::sum:
      return addend(operand, ranks, rank, index);
    case Op::avg:
      return averaged(operand, ranks, rank, index);
    case Op::prod:
      return factor(operand, ranks, rank, index);
    case Op::min:
    case Op::max:
      return candidate(operand, ranks, rank, index);
  }
  fail(Blame::check, "internal error, please report: an operation out of range");
}

double combined(Op op, double a, double b) {
  switch (op) {
    case Op::prod:
      return a * b;
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    default:
      return a + b;
  }
}

template <class T>
T value_of(double x) {
  if constexpr (kIsSmallFloat<T>)
    return from_float<T>(static_cast<float>(x));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(x));  // wraps around
  else
    return static_cast<T>(x);
}

// Equal to no value of a pattern.
template <class T>
T poison() {
  if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max() / 2;
  else
    return value_of<T>(std::numeric_limits<double>::quiet_NaN());
}

template <class T>
bool equal(T a, T b) {
  if constexpr (kIsSmallFloat<T>)
    return to_float(a) == to_float(b);
  else
    return a == b;
}

// One period of a vector, or all of a shorter one.
template <class T>
using Period = std::vector<T>;

template <class T>
Period<T> input(Operand operand, const Problem& problem, Rank rank) {
  Period<T> values;
  for (Count i = 0; i < std::min(problem.elements, kPeriod); ++i)
    values.push_back(value_of<T>(contribution(operand, problem.ranks, rank, i)));
  return values;
}

template <class T>
Period<T> reduced(Operand operand, const Problem& problem) {
  const AverageDivisors divisors = divisors_of(operand, problem.ranks);
  Period<T> values;
  for (Count i = 0; i < std::min(problem.elements, kPeriod); ++i) {
    double all = contribution(operand, problem.ranks, 0, i);
    for (Rank rank = 1; rank < problem.ranks; ++rank)
      all = combined(operand.op, all, contribution(operand, problem.ranks, rank, i));
    values.push_back(value_of<T>(all / divisors.before));
  }
  if (operand.op == Op::avg)
    scale(std::as_writable_bytes(std::span(values)).data(), std::ssize(values), operand.dtype,
          divisors.after);
  return values;
}

template <class T>
void check_size(std::size_t bytes, const Problem& problem) {
  check(problem);
  expects(bytes == static_cast<std::size_t>(problem.elements) * sizeof(T),
          "a pattern needs the bytes of all elements");
}

template <class T>
T* at(std::span<std::byte> data, Count index) {
  return reinterpret_cast<T*>(data.data()) + index;
}
template <class T>
const T* at(std::span<const std::byte> data, Count index) {
  return reinterpret_cast<const T*>(data.data()) + index;
}

/// Calls `use(begin, end, right)` for the elements that rank `me` must hold at the end; `right` is
/// one period of their right values.
template <class T, class Use>
void for_needed(Operand operand, const Problem& problem, Rank me, Use use) {
  const Spec spec(problem);
  const Blocks blocks = problem.blocks();
  Rank source = -1;
  Period<T> right;
  if (spec.sums()) right = reduced<T>(operand, problem);
  for (Rank chunk = 0; chunk < problem.parts(); ++chunk) {
    if (!spec.needs_at_end(me, chunk)) continue;
    if (!spec.sums() && spec.source(chunk) != source) {
      source = spec.source(chunk);
      right = input<T>(operand, problem, source);
    }
    use(blocks.begin(chunk), blocks.begin(chunk + 1), right);
  }
}

/// The position in the period after k.
Count after(Count k) { return k + 1 == kPeriod ? 0 : k + 1; }

}  // namespace

void fill(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me) {
  dispatch_dtype(operand.dtype, [&]<class T>(std::type_identity<T>) {
    check_size<T>(data.size(), problem);
    const Spec spec(problem);
    const Blocks blocks = problem.blocks();
    const Period<T> mine = input<T>(operand, problem, me);
    for (Rank chunk = 0; chunk < problem.parts(); ++chunk)
      for (Count i = blocks.begin(chunk); i < blocks.begin(chunk + 1); ++i)
        *at<T>(data, i) = spec.holds_at_start(me, chunk)
                              ? mine[static_cast<std::size_t>(i % kPeriod)]
                              : poison<T>();
  });
}

void expected_result(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me) {
  dispatch_dtype(operand.dtype, [&]<class T>(std::type_identity<T>) {
    check_size<T>(data.size(), problem);
    for_needed<T>(operand, problem, me, [&](Count begin, Count end, const Period<T>& right) {
      for (Count i = begin, k = begin % kPeriod; i < end; ++i, k = after(k))
        *at<T>(data, i) = right[static_cast<std::size_t>(k)];
    });
  });
}

Count wrong_elements(std::span<const std::byte> data, Operand operand, const Problem& problem,
                     Rank me) {
  return dispatch_dtype(operand.dtype, [&]<class T>(std::type_identity<T>) {
    check_size<T>(data.size(), problem);
    Count wrong = 0;
    for_needed<T>(operand, problem, me, [&](Count begin, Count end, const Period<T>& right) {
      for (Count i = begin, k = begin % kPeriod; i < end; ++i, k = after(k))
        wrong += equal(*at<T>(data, i), right[static_cast<std::size_t>(k)]) ? 0 : 1;
    });
    return wrong;
  });
}

}  // namespace arlab::collectives
