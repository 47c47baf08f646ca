// Fraction: an exact ratio of two whole numbers.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

namespace arlab::simulator {

/// Numerator >= 0 and denominator > 0, without a common factor if made by ratio().
struct Fraction {
  std::int64_t numerator = 0, denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Fraction&) const = default;
};

__extension__ using Wide = __int128;  // a product of two 64-bit numbers

inline bool operator<(const Fraction& a, const Fraction& b) {
  return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
}

/// Returns numerator / denominator in lowest terms.
inline Fraction ratio(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

/// "7/2", or "7" for a whole number.
inline std::string to_string(const Fraction& f) {
  return std::to_string(f.numerator) +
         (f.denominator == 1 ? "" : "/" + std::to_string(f.denominator));
}

}  // namespace arlab::simulator
