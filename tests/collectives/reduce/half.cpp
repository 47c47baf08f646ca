// The half types against their definition: all 65536 values, and the floats next to each boundary.
#include "collectives/reduce/half.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using arlab::collectives::Bfloat16;
using arlab::collectives::Float16;

namespace {

/// The value by the definition of a binary format with this many fraction bits.
double defined(unsigned bits, int fraction_bits, int exponent_bits) {
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits & 0x8000u ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

float midpoint(float a, float b) { return static_cast<float>((double{a} + double{b}) / 2); }

template <class Half, class Narrow>
void check_type(int fraction_bits, int exponent_bits, Narrow narrow) {
  int wrong_values = 0, wrong_ways_back = 0, wrong_ties = 0, wrong_neighbors = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const double right = defined(bits, fraction_bits, exponent_bits);
    const float value = to_float(half);
    if (std::isnan(right)) {
      wrong_values += std::isnan(value) ? 0 : 1;
      wrong_ways_back += std::isnan(to_float(narrow(value))) ? 0 : 1;
      continue;
    }
    wrong_values += value == right && std::signbit(value) == std::signbit(right) ? 0 : 1;
    wrong_ways_back += narrow(value).bits == bits ? 0 : 1;
    const Half next{static_cast<std::uint16_t>(bits + 1)};  // away from zero
    if (!std::isfinite(to_float(next)) || (bits & 0x7fffu) == 0x7fffu) continue;
    const float tie = midpoint(value, to_float(next));
    wrong_ties += narrow(tie).bits == (bits % 2 == 0 ? bits : bits + 1) ? 0 : 1;
    wrong_neighbors += narrow(std::nextafter(tie, value)).bits == bits ? 0 : 1;
    wrong_neighbors += narrow(std::nextafter(tie, to_float(next))).bits == bits + 1 ? 0 : 1;
  }
  CHECK(wrong_values == 0);
  CHECK(wrong_ways_back == 0);
  CHECK(wrong_ties == 0);
  CHECK(wrong_neighbors == 0);
}

}  // namespace

TEST_CASE("float16: every value, its ties and their neighbors") {
  check_type<Float16>(10, 5, [](float x) { return arlab::collectives::to_float16(x); });
}

TEST_CASE("bfloat16: every value, its ties and their neighbors") {
  check_type<Bfloat16>(7, 8, [](float x) { return arlab::collectives::to_bfloat16(x); });
}

TEST_CASE("halves overflow to infinity and keep NaN") {
  CHECK(arlab::collectives::to_float16(65519.0f).bits == 0x7bff);
  CHECK(arlab::collectives::to_float16(65520.0f).bits == 0x7c00);
  CHECK(arlab::collectives::to_float16(-1e30f).bits == 0xfc00);
  CHECK(arlab::collectives::to_bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  const auto quiet_only_below = std::bit_cast<float>(0x7f800001u);  // its payload is cut off
  CHECK(std::isnan(arlab::collectives::to_float(arlab::collectives::to_float16(quiet_only_below))));
  CHECK(
      std::isnan(arlab::collectives::to_float(arlab::collectives::to_bfloat16(quiet_only_below))));
}
