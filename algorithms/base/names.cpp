#include "algorithms/base/names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

// Levenshtein's distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view wanted, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 2) + 1;
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
  const std::string near = did_you_mean(wanted, names);
  const std::string unknown = concat("unknown ", what, " '", wanted, "'");
  fail(Blame::usage, near.empty() ? concat(unknown, ": use one of ", all)
                                  : concat(unknown, near, " (one of ", all, ")"));
}

}  // namespace arlab
