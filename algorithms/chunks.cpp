#include "algorithms/chunks.hpp"

#include <numeric>

namespace arlab {
namespace {

// first, first + stride, ...: `count` numbers, without going around.
struct Progression {
  Count first, count, stride;
  Count last() const { return first + (count - 1) * stride; }
};

// Calls f with the parts of the set before and after the end of the vector.
template <class F>
void for_each_progression(const Chunks& c, Count parts, F f) {
  const Count before_end = std::min<Count>(c.count, (parts - c.first + c.stride - 1) / c.stride);
  f(Progression{c.first, before_end, c.stride});
  if (before_end < c.count)
    f(Progression{c.first + before_end * c.stride - parts, c.count - before_end, c.stride});
}

// a + i s = b + j t: the solutions for i are one residue modulo t / gcd(s, t).
bool overlap(const Progression& a, const Progression& b) {
  const Count low = std::max(a.first, b.first), high = std::min(a.last(), b.last());
  if (low > high) return false;
  const Count divisor = std::gcd(a.stride, b.stride), period = b.stride / divisor;
  if ((b.first - a.first) % divisor != 0) return false;
  const Count start = (low - a.first + a.stride - 1) / a.stride;  // first of a from `low` on
  for (Count i = start; i < start + period; ++i) {
    const Count value = a.first + i * a.stride;
    if (value > high) return false;
    if ((value - b.first) % b.stride == 0) return true;
  }
  return false;
}

}  // namespace

// Every chunk has the quotient; those before the remainder have one element more.
Count Blocks::size_of_scattered(const Chunks& c) const {
  if (c.stride < 1) return 0;  // of a wrong program, whose proof says so
  Count longer = 0;
  for_each_progression(c, parts, [&](const Progression& p) {
    if (p.first < remainder)
      longer += std::min(p.count, (remainder - p.first + p.stride - 1) / p.stride);
  });
  return c.count * quotient + longer;
}

Rank runs_of(const Chunks& chunks, Rank parts) {
  if (chunks.stride != 1) return chunks.count;
  return chunks.first + Count{chunks.count} > parts ? 2 : 1;
}

bool overlap(const Chunks& a, const Chunks& b, Rank parts) {
  bool any = false;
  for_each_progression(a, parts, [&](const Progression& of_a) {
    for_each_progression(b, parts,
                         [&](const Progression& of_b) { any = any || overlap(of_a, of_b); });
  });
  return any;
}

}  // namespace arlab
