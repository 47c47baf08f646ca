// Problems with groups, for the algorithms that need them: so that tests over the whole catalogue
// hold those to the same.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"

namespace arlab {

/// `ranks` in groups of `size`: consecutive ones, or dealt like cards. Kept for ever, for any
/// thread.
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

/// The problem in all ways that an algorithm may meet it: where it needs groups, in all equal ones.
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

/// One of them: in the middle, with groups that are neither single ranks nor all where possible.
inline Problem grouped(const Algorithm& algorithm, const Problem& p) {
  const std::vector<Problem> all = stated_for(algorithm, p);
  return all[all.size() / 2];
}

}  // namespace arlab
