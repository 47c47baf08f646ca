// Problems with groups or a grid, so that tests over the whole catalog include the algorithms that
// need them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"

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

/// Returns a grid of these sizes, which lives until the program ends. Thread-safe.
inline const RankGrid* kept_grid(const std::vector<Rank>& sizes) {
  static std::mutex mutex;
  static std::map<std::vector<Rank>, std::unique_ptr<const RankGrid>> kept;
  const std::lock_guard lock(mutex);
  auto& grid = kept[sizes];
  if (!grid) grid = std::make_unique<const RankGrid>(sizes);
  return grid.get();
}

/// Returns every list of sizes above 1 whose product is the number of ranks; {1} for one rank.
inline std::vector<std::vector<Rank>> shapes_of(Rank ranks) {
  if (ranks == 1) return {{1}};
  std::vector<std::vector<Rank>> all{{ranks}};
  for (Rank first = 2; first < ranks; ++first) {
    if (ranks % first != 0) continue;
    for (std::vector<Rank>& rest : shapes_of(ranks / first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// Returns trees of the ranks that live until the program ends: a star and a chain from each root
/// with weights 1 and 3, or `wide` trees with parents at half the number. Thread-safe.
inline const Forest* kept_forest(Rank ranks, bool wide) {
  static std::mutex mutex;
  static std::map<std::pair<Rank, bool>, std::unique_ptr<const Forest>> kept;
  const std::lock_guard lock(mutex);
  auto& forest = kept[{ranks, wide}];
  if (forest) return forest.get();
  std::vector<WeightedTree> trees;
  for (Rank root = 0; root < std::min<Rank>(ranks, 5); ++root) {
    std::vector<Rank> star(index(ranks), root), chain = star, heap = star;
    for (Rank i = 1; i < ranks; ++i) {
      chain[index((root + i) % ranks)] = (root + i - 1) % ranks;
      heap[index((root + i) % ranks)] = (root + (i - 1) / 2) % ranks;
    }
    if (wide) {
      trees.push_back({root, 1 + root % 2, heap});
    } else {
      trees.push_back({root, 1, star});
      trees.push_back({root, 3, chain});
    }
  }
  forest = std::make_unique<const Forest>(std::move(trees));
  return forest.get();
}

/// Returns the problem as is, or with each possible set of equal groups and some unequal ones, each
/// shape of a grid, or some trees if the algorithm needs these.
inline std::vector<Problem> stated_for(const Algorithm& algorithm, Problem p) {
  if (algorithm.gridded) {
    std::vector<Problem> all;
    for (const std::vector<Rank>& sizes : shapes_of(p.ranks)) {
      p.grid = kept_grid(sizes);
      all.push_back(p);
    }
    return all;
  }
  if (algorithm.forested) {
    std::vector<Problem> all{p, p};
    all[0].forest = kept_forest(p.ranks, false);
    all[1].forest = kept_forest(p.ranks, true);
    return all;
  }
  if (!algorithm.grouped) return {p};
  std::vector<Problem> all;
  for (Rank size = 1; size <= p.ranks; ++size)
    for (const bool dealt : {false, true}) {
      if (p.ranks % size != 0) continue;
      p.groups = kept_groups(p.ranks, size, dealt);
      all.push_back(p);
    }
  for (const Rank size : {3, p.ranks / 2 + 1})  // and some whose last group is smaller
    if (size < p.ranks && p.ranks % size != 0) {
      p.groups = kept_groups(p.ranks, size, false);
      all.push_back(p);
    }
  // With settings, and on many ranks, two of them do: the time grows with the square of the ranks.
  const bool has_settings = algorithm.name.find(':') != std::string_view::npos;
  if (has_settings && p.ranks > 12) return {all[all.size() / 2], all.back()};
  return all;
}

/// Returns the catalog, and the configured algorithms that its entries name as examples.
inline std::vector<const Algorithm*> tested_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& entry : algorithms()) {
    all.push_back(&entry);
    for (const std::string_view spec : entry.examples) all.push_back(&find_algorithm(spec));
  }
  return all;
}

/// Returns one of these: if possible, with groups of more than one rank but not of all.
inline Problem grouped(const Algorithm& algorithm, const Problem& p) {
  const std::vector<Problem> all = stated_for(algorithm, p);
  return all[all.size() / 2];
}

}  // namespace arlab
