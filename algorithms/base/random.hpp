// Random: random numbers from a counter.
//
// Each draw depends on its key and its number only, not on earlier draws. Any worker can draw the
// numbers of any sample, with the same result on every machine. After Salmon et al., Parallel
// random numbers: as easy as 1, 2, 3, SC 2011.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab {

/// splitmix64: each input bit changes half of the output bits on average. Steele, Lea, Flood, Fast
/// splittable pseudorandom number generators, OOPSLA 2014.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : key_(mixed(seed)) {}

  /// Returns an independent sequence, such as one per epoch, sample or rank.
  Random of(std::uint64_t stream) const { return Random(key_ ^ mixed(~stream)); }

  /// Returns the draw with the given number: 64 random bits.
  std::uint64_t operator()(std::uint64_t number) const { return mixed(key_ + mixed(number)); }

  /// Returns the draw scaled to 0 ... bound - 1.
  Count below(Count bound, std::uint64_t number) const {
    const auto high = static_cast<unsigned __int128>((*this)(number)) *
                      static_cast<unsigned __int128>(static_cast<std::uint64_t>(bound));
    return static_cast<Count>(high >> 64);
  }

  /// Returns the key, for code that computes many draws at once: mixed(key + mixed(number)).
  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_;
};

/// Shuffles (Fisher and Yates, in Knuth's form).
template <class T>
void shuffle(std::vector<T>& values, const Random& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(
                                 static_cast<Count>(i), static_cast<std::uint64_t>(i)))]);
}

}  // namespace arlab
