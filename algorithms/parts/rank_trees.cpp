#include "algorithms/parts/rank_trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "algorithms/base/error.hpp"

namespace arlab {
namespace {

constexpr double kRounding = 0.01;  // of the time, that whole neighbors may cost
constexpr Count kTreesOfFewRanks = 32;

// How many neighbors above one a rank has on average over the trees, to be done in this time.
double extra_neighbors(double rate, double time) { return std::max(0.0, rate * time - 1); }

// Of each rank, the neighbors above one per tree, over all trees. In one tree they add up to P - 2.
struct Neighbors {
  Count trees = 0;
  std::vector<Count> extra{};
  double time = 0;  // of the rank that is busy longest
};

Neighbors rounded(std::span<const double> rates, double time, Count trees) {
  const auto ranks = static_cast<Count>(rates.size());
  Neighbors made{trees};
  const auto busy = [&](Count extra, std::size_t r) {
    return static_cast<double>(trees + extra) / (static_cast<double>(trees) * rates[r]);
  };
  using Next = std::pair<double, std::size_t>;  // a rank, and its time with one neighbor more
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (std::size_t r = 0; r < rates.size(); ++r) {
    const double ideal = extra_neighbors(rates[r], time) * static_cast<double>(trees);
    made.extra.push_back(static_cast<Count>(std::floor(ideal * (1 - 1e-12))));
    next.push({busy(made.extra[r] + 1, r), r});
  }
  Count left = trees * (ranks - 2) - std::reduce(made.extra.begin(), made.extra.end());
  for (; left > 0; --left) {
    const std::size_t r = next.top().second;
    next.pop();
    next.push({busy(++made.extra[r] + 1, r), r});
  }
  for (std::size_t r = 0; r < rates.size(); ++r)
    made.time = std::max(made.time, busy(made.extra[r], r));
  return made;
}

Neighbors whole_neighbors(std::span<const double> rates) {
  const auto ranks = static_cast<Count>(rates.size());
  const double time = least_busy_time(rates);
  const double least = std::max(time, 1 / *std::min_element(rates.begin(), rates.end()));
  Neighbors best;
  for (Count trees = ranks - 1; trees <= std::max(2 * ranks, kTreesOfFewRanks); ++trees) {
    Neighbors made = rounded(rates, time, trees);
    if (best.trees == 0 || made.time < best.time) best = std::move(made);
    if (best.time <= least * (1 + kRounding)) break;
  }
  return best;
}

// An inner rank of a tree, and how many of its neighbors there are above one.
struct Inner {
  Rank rank = 0;
  Count extra = 0;
};

// The inner rank with the most neighbors is the root. Those that follow are as close to it as they
// can be; all others are leaves, in another order for each tree.
WeightedTree joined(std::vector<Inner> inner, Rank ranks, Count number) {
  std::ranges::stable_sort(inner, std::ranges::greater{}, &Inner::extra);
  std::vector<bool> is_inner(index(ranks));
  for (const Inner& one : inner) is_inner[index(one.rank)] = true;
  WeightedTree tree{.root = inner[0].rank, .parent = std::vector<Rank>(index(ranks))};
  tree.parent[index(tree.root)] = tree.root;
  std::size_t parent = 0;
  Count free = inner[0].extra + 1;  // neighbors of the parent that are not in the tree yet
  const auto add = [&](Rank rank) {
    while (free == 0) free = inner[++parent].extra;
    tree.parent[index(rank)] = inner[parent].rank;
    --free;
  };
  for (std::size_t i = 1; i < inner.size(); ++i) add(inner[i].rank);
  for (Rank i = 0; i < ranks; ++i) {
    const auto rank = static_cast<Rank>((number + i) % ranks);
    if (!is_inner[index(rank)]) add(rank);
  }
  return tree;
}

// Ranks in the order in which they share trees: one of many neighbors beside one of few, so that no
// tree has many inner ranks.
std::vector<Inner> most_beside_least(std::vector<Inner> rest) {
  std::ranges::stable_sort(rest, std::ranges::greater{}, &Inner::extra);
  std::vector<Inner> order;
  for (std::size_t i = 0, j = rest.size(); i < j; ++i) {
    order.push_back(rest[i]);
    if (i < --j) order.push_back(rest[j]);
  }
  return order;
}

}  // namespace

double least_busy_time(std::span<const double> rates) {
  expects(!rates.empty(), "rates of no ranks");
  for (const double rate : rates) expects(std::isfinite(rate) && rate > 0, "rates are above 0");
  const double needed = static_cast<double>(rates.size()) - 2;
  if (needed <= 0) return 0;
  const auto sum = [&](double time) {
    double all = 0;
    for (const double rate : rates) all += extra_neighbors(rate, time);
    return all;
  };
  double low = 0, high = static_cast<double>(rates.size()) / rates[0];  // enough for rank 0 alone
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (sum(middle) < needed ? low : high) = middle;
  }
  return low;
}

// A rank that has P - 2 neighbors above one is the center of a star. What is left of all ranks,
// laid end to end and cut into lengths of P - 2, makes the other trees: a rank is in two of them at
// most (McNaughton, Scheduling with deadlines and loss functions, Management Science 6(1), 1959).
Forest trees_for(std::span<const double> rates) {
  const auto ranks = static_cast<Rank>(rates.size());
  std::vector<WeightedTree> trees;
  const auto add = [&](std::vector<Inner> inner) {
    trees.push_back(joined(std::move(inner), ranks, static_cast<Count>(trees.size())));
  };
  if (ranks <= 2) {
    for (Rank root = 0; root < ranks; ++root) add({{root, 0}});
    return Forest(std::move(trees));
  }
  const Count whole = ranks - 2;
  const Neighbors neighbors = whole_neighbors(rates);
  std::vector<Inner> rest;
  for (Rank r = 0; r < ranks; ++r) {
    Count extra = neighbors.extra[index(r)];
    for (; extra >= whole; extra -= whole) add({{r, whole}});
    if (extra > 0) rest.push_back({r, extra});
  }
  std::vector<Inner> tree;
  Count missing = whole;
  for (Inner one : most_beside_least(std::move(rest)))
    while (one.extra > 0) {
      const Count part = std::min(one.extra, missing);
      tree.push_back({one.rank, part});
      one.extra -= part;
      if ((missing -= part) > 0) continue;
      add(std::exchange(tree, {}));
      missing = whole;
    }
  return Forest(std::move(trees));
}

}  // namespace arlab
