#include "algorithms/parts/double_tree.hpp"

namespace arlab {
namespace {

constexpr Rank kNone = TreeFamily::kNone;

// Tree 0. Ranks with lowest set bit 1 are leaves, those with 2 their parents, and so on.
TreeFamily in_tree_0(Rank ranks, Count me) {
  if (me == 0) return {kNone, {kNone, ranks > 1 ? Rank{1} << floor_log2(ranks - 1) : kNone}};
  const Count bit = me & -me;
  Count parent = (me ^ bit) | bit << 1;
  if (parent >= ranks) parent = me ^ bit;
  TreeFamily family{static_cast<Rank>(parent), {kNone, kNone}};
  if (bit == 1) return family;
  Count low = bit / 2;
  family.children[0] = static_cast<Rank>(me - low);
  while (low > 0 && me + low >= ranks) low /= 2;
  if (low > 0) family.children[1] = static_cast<Rank>(me + low);
  return family;
}

}  // namespace

TreeFamily double_tree_family(Rank ranks, std::int32_t tree, Rank me) {
  if (tree == 0) return in_tree_0(ranks, me);
  const bool mirrors = ranks % 2 == 0;
  const Rank there = mirrors ? ranks - 1 - me : me == 0 ? ranks - 1 : me - 1;
  const auto back = [&](Rank r) {
    if (r == kNone) return kNone;
    return mirrors ? ranks - 1 - r : r == ranks - 1 ? 0 : r + 1;
  };
  const TreeFamily family = in_tree_0(ranks, there);
  return {back(family.parent), {back(family.children[0]), back(family.children[1])}};
}

int double_tree_depth(Rank ranks, std::int32_t tree, Rank me) {
  int depth = 0;
  while ((me = double_tree_family(ranks, tree, me).parent) != kNone) ++depth;
  return depth;
}

}  // namespace arlab
