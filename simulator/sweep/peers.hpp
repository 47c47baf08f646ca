// Peers: whom the ranks of a round send to, and whom they receive from.
//
// Most rounds are alike on all ranks: partners differ in the same bits of their numbers, or are the
// same distance apart. Such peers are computed instead of read from memory.
#pragma once

#include <cstdint>

#include "algorithms/base/types.hpp"

namespace arlab::simulator {

struct Peers {
  enum class Kind : std::uint8_t {
    flip,   ///< rank ^ by, both ways
    shift,  ///< to rank + by, from rank - by, around the end of the ranks
    table,
  };

  Kind kind = Kind::flip;
  Rank by = 0, ranks = 0;
  const Rank* targets = nullptr;  ///< by rank, of a table
  const Rank* sources = nullptr;

  /// Returns f(target, source), two functions of a rank that fit the kind.
  template <class F>
  auto visit(F f) const {
    const auto flipped = [by = by](Rank rank) { return rank ^ by; };
    if (kind == Kind::flip) return f(flipped, flipped);
    if (kind == Kind::shift)
      return f([by = by, back = ranks - by](Rank r) { return r < back ? r + by : r - back; },
               [by = by, back = ranks - by](Rank r) { return r < by ? r + back : r - by; });
    return f([to = targets](Rank rank) { return to[rank]; },
             [from = sources](Rank rank) { return from[rank]; });
  }

  Rank target(Rank rank) const {
    return visit([rank](auto to, auto) { return to(rank); });
  }
  Rank source(Rank rank) const {
    return visit([rank](auto, auto from) { return from(rank); });
  }
};

}  // namespace arlab::simulator
