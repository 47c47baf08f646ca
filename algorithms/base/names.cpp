#include "algorithms/base/names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

// Optimal string alignment: edits are a letter more, less, or another, and two letters swapped.
// Upper case and hyphens do not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

// A third of the letters, without the dashes of an option.
std::size_t most_edits(std::string_view wanted) {
  const std::size_t begin = std::min(wanted.find_first_not_of('-'), wanted.size());
  return (wanted.size() - begin + 1) / 3;
}

// The first setting of a spec comes after a colon: "ring,hosts=4" is ring:hosts=4. Else empty.
std::string with_colon(std::string_view wanted, std::span<const std::string_view> names) {
  const std::size_t comma = std::min(wanted.find(','), wanted.size());
  const std::string_view name = wanted.substr(0, comma), settings = wanted.substr(comma);
  if (settings.find('=') == std::string_view::npos || !std::ranges::count(names, name)) return "";
  return concat(name, ":", settings.substr(1));
}

}  // namespace

std::string_view nearest(std::string_view wanted, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t best_distance = most_edits(wanted) + 1;
  constexpr std::size_t kLongest = 100;  // longer words are not typos, and would take long
  if (wanted.size() > kLongest) return best;
  for (const std::string_view name : names)
    if (const std::size_t d = edit_distance(wanted, name); d < best_distance)
      best = name, best_distance = d;
  return best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string_view near = nearest(wanted, names);
  return near.empty() ? "" : concat(", did you mean '", near, "'?");
}

void fail_unknown(std::string_view what, std::string_view wanted,
                  std::span<const std::string_view> names, std::string_view also) {
  std::string all;
  for (const std::string_view name : names) all += concat(all.empty() ? "" : ", ", name);
  all += also;
  const std::string meant = with_colon(wanted, names);
  const std::string near =
      meant.empty() ? did_you_mean(wanted, names) : concat(", did you mean '", meant, "'?");
  const std::string unknown = concat("unknown ", what, " '", wanted, "'");
  fail(Blame::usage, near.empty() ? concat(unknown, ": use one of ", all)
                                  : concat(unknown, near, " (one of ", all, ")"));
}

}  // namespace arlab
