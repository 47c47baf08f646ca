// Problems with groups, so that tests over the whole catalog include the algorithms that need them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"

namespace arlab {

/// Returns groups of `size` ranks: consecutive ranks, or `dealt` in turn to the groups. The groups
/// live until the program ends. Thread-safe.
inline const Groups* kept_groups(Rank ranks, Rank size, bool dealt) {
  static std::mutex mutex;
  static std::map<std::tuple<Rank, Rank, bool>, std::unique_ptr<const Groups>> kept;
  const std::lock_guard lock(mutex);
  auto& groups = kept[{ranks, size, dealt}];
  if (!groups) {
    std::vector<std::int32_t> of_rank;
    for (Rank r = 0; r < ranks; ++r) of_rank.push_back(dealt ? r % (ranks / size) : r / size);
    groups = std::make_unique<const Groups>(of_rank);
  }
  return groups.get();
}

/// Returns the problem as is, or with each possible set of equal groups if the algorithm needs
/// groups.
inline std::vector<Problem> stated_for(const Algorithm& algorithm, Problem p) {
  if (!algorithm.grouped) return {p};
  std::vector<Problem> all;
  for (Rank size = 1; size <= p.ranks; ++size)
    for (const bool dealt : {false, true}) {
      if (p.ranks % size != 0) continue;
      p.groups = kept_groups(p.ranks, size, dealt);
      all.push_back(p);
    }
  return all;
}

/// Returns one of these: if possible, with groups of more than one rank but not of all.
inline Problem grouped(const Algorithm& algorithm, const Problem& p) {
  const std::vector<Problem> all = stated_for(algorithm, p);
  return all[all.size() / 2];
}

}  // namespace arlab
