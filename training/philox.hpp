// Philox4x32-10: random numbers by counter: any of them at once, in any order, the same everywhere.
//
// Ten rounds of two multiplications turn a counter of four words and a key of two into four random
// words. Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
//
// Always inline: see collectives/half.hpp.
#pragma once

#include <cstdint>

namespace arlab {

struct PhiloxCounter {
  std::uint32_t word[4] = {};
};

struct PhiloxKey {
  std::uint32_t word[2] = {};
};

[[gnu::always_inline]] inline PhiloxKey philox_key(std::uint64_t seed) {
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
}

[[gnu::always_inline]] inline PhiloxCounter philox(PhiloxCounter c, PhiloxKey k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * c.word[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * c.word[2];
    c = {{static_cast<std::uint32_t>(b >> 32) ^ c.word[1] ^ k.word[0],
          static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32) ^ c.word[3] ^ k.word[1],
          static_cast<std::uint32_t>(a)}};
    k.word[0] += 0x9E3779B9u;
    k.word[1] += 0xBB67AE85u;
  }
  return c;
}

}  // namespace arlab
