// The 8-bit floats against their definition: all codes, their ties, random floats, and the sums and
// products of all pairs. The reference knows sign, exponent and fraction, and searches for the
// nearest in double precision.
#include "collectives/reduce/float8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "collectives/reduce/kernels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernels.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

using Code = std::uint8_t;

/// A format of the OFP8 specification: e4m3 has one NaN and no infinity, e5m2 is as IEEE's are.
struct Format {
  DType dtype;
  int fraction, bias;
  Code greatest;  ///< of the finite ones
  Code infinity;  ///< 0: none
  float (*to)(Code);
  Code (*from)(float);
  std::vector<double> finite = {};  ///< magnitudes, by code

  double value(Code code) const {
    const int magnitude = code & 0x7f, exponent = magnitude >> fraction,
              rest = magnitude & ((1 << fraction) - 1);
    const double sign = code & 0x80 ? -1 : 1;
    if (infinity != 0 && magnitude == infinity)
      return sign * std::numeric_limits<double>::infinity();
    if (magnitude > greatest) return std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(rest, 1 - bias - fraction);
    return sign * std::ldexp(rest + (1 << fraction), exponent - bias - fraction);
  }

  /// The nearest finite code, of two the even one; 0x7f of a NaN.
  Code nearest(double x) const {
    if (std::isnan(x)) return 0x7f;
    const Code sign = std::signbit(x) ? 0x80 : 0;
    const double magnitude = std::min(std::abs(x), finite.back());
    const auto above = std::lower_bound(finite.begin(), finite.end(), magnitude);
    const auto code = above - finite.begin();
    if (code == 0) return sign;
    const double up = *above - magnitude, down = magnitude - *(above - 1);
    const bool goes_up = up < down || (up == down && code % 2 == 0);
    return static_cast<Code>(sign | (goes_up ? code : code - 1));
  }
};

template <class T>
Format format(DType dtype, int fraction, int bias, Code greatest, Code infinity) {
  Format its{dtype,
             fraction,
             bias,
             greatest,
             infinity,
             [](Code code) { return to_float(T{code}); },
             [](float x) { return to_float8<T>(x).bits; }};
  for (int code = 0; code <= greatest; ++code)
    its.finite.push_back(its.value(static_cast<Code>(code)));
  return its;
}

const Format kFormats[] = {format<Float8E4m3>(DType::float8_e4m3, 3, 7, 0x7e, 0),
                           format<Float8E5m2>(DType::float8_e5m2, 2, 15, 0x7b, 0x7c)};

std::vector<Code> all_codes() {
  std::vector<Code> codes;
  for (int code = 0; code < 256; ++code) codes.push_back(static_cast<Code>(code));
  return codes;
}

bool same(float a, double b) {
  return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEST_CASE("float8: the definition that the tests use") {
  const Format &e4m3 = kFormats[0], &e5m2 = kFormats[1];
  CHECK(e4m3.value(0x7e) == 448);
  CHECK(e4m3.value(0x08) == 0x1p-6);
  CHECK(e4m3.value(0x81) == -0x1p-9);
  CHECK(std::isnan(e4m3.value(0xff)));
  CHECK(e5m2.value(0x7b) == 57344);
  CHECK(e5m2.value(0x04) == 0x1p-14);
  CHECK(e5m2.value(0x01) == 0x1p-16);
  CHECK(e5m2.value(0xfc) == -std::numeric_limits<double>::infinity());
  CHECK(e4m3.nearest(17) == e4m3.nearest(16));  // a tie, to the even one
  CHECK(e4m3.nearest(19) == e4m3.nearest(20));
  CHECK(e5m2.nearest(-1e9) == 0xfb);
}

TEST_CASE("float8: every code has its value, and comes back") {
  for (const Format& format : kFormats) {
    INFO(name(format.dtype));
    int wrong_values = 0, wrong_ways_back = 0;
    for (const Code code : all_codes()) {
      const double right = format.value(code);
      wrong_values += same(format.to(code), right) ? 0 : 1;
      wrong_ways_back += format.from(format.to(code)) == format.nearest(right) ? 0 : 1;
      if (std::isfinite(right)) wrong_ways_back += format.nearest(right) == code ? 0 : 1;
    }
    CHECK(wrong_values == 0);
    CHECK(wrong_ways_back == 0);
  }
}

TEST_CASE("float8: ties go to the even neighbor, and all else to the nearer one") {
  for (const Format& format : kFormats) {
    INFO(name(format.dtype));
    int wrong = 0;
    for (Code below = 0; below < format.greatest; ++below)
      for (const float sign : {1.0F, -1.0F}) {
        const float low = format.to(below), high = format.to(static_cast<Code>(below + 1)),
                    tie = sign * (low + high) / 2;
        for (const float x : {tie, std::nextafter(tie, 0.0F), std::nextafter(tie, sign * high)})
          wrong += format.from(x) == format.nearest(x) ? 0 : 1;
        const Code even =
            static_cast<Code>((below % 2 == 0 ? below : below + 1) | (sign < 0 ? 0x80 : 0));
        wrong += format.from(tie) == even ? 0 : 1;
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float8: a million floats become the nearest code") {
  for (const Format& format : kFormats) {
    INFO(name(format.dtype));
    std::mt19937 random(1);
    int wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      // Half of them any bits, half of them with exponents from below the subnormals to above the
      // greatest.
      std::uint32_t bits = static_cast<std::uint32_t>(random());
      if (i % 2 == 0) bits = (bits & 0x807fffffu) | (127 - 20 + bits % 40) << 23;
      const float x = std::bit_cast<float>(bits);
      wrong += format.from(x) == format.nearest(x) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float8: what is beyond the greatest becomes the greatest, and NaN is 0x7f") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Format& format : kFormats) {
    const float greatest = format.to(format.greatest);
    for (const float x : {std::nextafter(greatest, kInfinity), 2 * greatest,
                          std::numeric_limits<float>::max(), kInfinity}) {
      CHECK(format.from(x) == format.greatest);
      CHECK(format.from(-x) == (format.greatest | 0x80));
    }
    for (const std::uint32_t nan : {0x7f800001u, 0x7fc00000u, 0xffffffffu})
      CHECK(format.from(std::bit_cast<float>(nan)) == 0x7f);
  }
}

TEST_CASE("float8: sums and products of all pairs are rounded once, in every instruction set") {
  for (const Format& format : kFormats) {
    std::vector<Code> a, b, sums, products;
    for (const Code x : all_codes())
      for (const Code y : all_codes()) {
        a.push_back(x), b.push_back(y);
        sums.push_back(format.nearest(format.value(x) + format.value(y)));
        products.push_back(format.nearest(format.value(x) * format.value(y)));
      }
    for (const ReduceKernels* kernels : all_kernels())
      for (const auto& [op, right] : {std::pair{Op::sum, &sums}, {Op::prod, &products}}) {
        INFO(kernels->instructions << " " << name(format.dtype) << " " << name(op));
        std::vector<Code> found = a;
        kernels->combine[static_cast<std::size_t>(format.dtype)][static_cast<std::size_t>(op)](
            std::as_writable_bytes(std::span(found)).data(), std::as_bytes(std::span(b)).data(),
            std::ssize(found));
        CHECK(found == *right);
      }
  }
}

TEST_CASE("float8: quotients of all codes are the nearest, in every instruction set") {
  for (const Format& format : kFormats)
    for (const ReduceKernels* kernels : all_kernels())
      for (const double divisor : {1.0, 0.625, 0.75, 2.0, 3.0, 7.0, 1000.0}) {
        std::vector<Code> found = all_codes(), right;
        for (const Code code : found) right.push_back(format.nearest(format.value(code) / divisor));
        kernels->scale[static_cast<std::size_t>(format.dtype)](
            std::as_writable_bytes(std::span(found)).data(), std::ssize(found), divisor);
        INFO(kernels->instructions << " " << name(format.dtype) << " by " << divisor);
        CHECK(found == right);
      }
}
