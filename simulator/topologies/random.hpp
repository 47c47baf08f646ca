// Random numbers that are the same on every machine: splitmix64. Steele, Lea, Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014.
#pragma once

#include <cstdint>

namespace arlab {

/// Every bit of the input changes half of the output.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace arlab
