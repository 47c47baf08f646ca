#include "bench/hunt/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arlab::bench {
namespace {

char heat_of(double times) {
  if (times < 1.25) return '.';
  if (times < 1.75) return '-';
  return static_cast<char>('0' + std::clamp<long>(std::lround(times), 2, 9));
}

}  // namespace

std::string heat_map(const hunt::Search& found, Rank ranks) {
  constexpr Rank kMost = 64, kFewest = 3;
  if (ranks < kFewest || ranks > kMost) return "";
  const std::size_t n = index(ranks);
  std::vector<std::string> rows(n, std::string(n, ' '));
  const double usual = found[hunt::Quantity::bandwidth].usual_us;
  for (const hunt::DirectedTime& t : hunt::directed_times(found.pairs, hunt::Quantity::bandwidth))
    rows[index(t.from)][index(t.to)] =
        heat_of(hunt::median({t.times.begin(), t.times.end()}) / usual);
  // Pairs within a node are compared with one another where there are enough of them.
  for (const hunt::DirectedTime& t : found.relative)
    rows[index(t.from)][index(t.to)] = heat_of(hunt::median({t.times.begin(), t.times.end()}));
  std::string text =
      "Time of a large message from each rank (row) to each other (column): . usual, - 1.5 times "
      "as long, 2 to 9 times\n";
  for (std::size_t r = 0; r < n; ++r) {
    rows[r][r] = '\\';
    text += fmt::format("{:>5}  {}\n", r, rows[r]);
  }
  return text;
}

}  // namespace arlab::bench
