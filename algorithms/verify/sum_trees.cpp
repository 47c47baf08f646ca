#include "algorithms/verify/sum_trees.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {
constexpr std::size_t kMaxWords = std::size_t{1} << 30;  // 8 GiB of sets
}

SumTrees::SumTrees(Rank ranks)
    : ranks_(ranks), words_((static_cast<std::size_t>(ranks) + 63) / 64) {
  for (Rank r = 0; r < ranks; ++r) {
    append(kNothing, kNothing);
    sets_[index(r) * words_ + index(r) / 64] |= std::uint64_t{1} << (r % 64);
    nodes_.back().contributions = 1;
  }
}

SumTrees::Id SumTrees::append(Id left, Id right) {
  if (sets_.size() + words_ > kMaxWords)
    fail(Blame::usage,
         concat("verifying ", ranks_, " ranks needs over 8 GiB of symbols: use fewer ranks"));
  nodes_.push_back({left, right, 0});
  sets_.resize(sets_.size() + words_);
  return static_cast<Id>(nodes_.size() - 1);
}

SumTrees::Id SumTrees::add(Id a, Id b, Rank& shared) {
  shared = -1;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(b);
  if (key == last_key_) return last_;
  const auto found = known_.find(key);
  if (found == known_.end()) {
    const Id sum = append(a, b);
    std::uint64_t* into = sets_.data() + index(sum) * words_;
    for (std::size_t w = 0; w < words_; ++w) {
      if (const std::uint64_t both = set(a)[w] & set(b)[w]; both && shared < 0)
        shared = static_cast<Rank>(w * 64 + static_cast<std::size_t>(std::countr_zero(both)));
      into[w] = set(a)[w] | set(b)[w];
    }
    if (shared >= 0) return sum;  // not remembered: each wrong sum is reported
    nodes_.back().contributions = nodes_[index(a)].contributions + nodes_[index(b)].contributions;
    known_.emplace(key, sum);
    last_ = sum;
  } else {
    last_ = found->second;
  }
  last_key_ = key;
  return last_;
}

Rank SumTrees::missing_rank(Id id) const {
  if (nodes_[index(id)].contributions == ranks_) return -1;
  for (Rank r = 0; r < ranks_; ++r)
    if (!has(id, r)) return r;
  return -1;
}

Rank SumTrees::lowest_rank(Id id) const {
  std::size_t w = 0;
  while (set(id)[w] == 0) ++w;
  return static_cast<Rank>(w * 64 + static_cast<std::size_t>(std::countr_zero(set(id)[w])));
}

std::string SumTrees::bracketing(Id id, std::size_t limit) const {
  std::string out;
  print(id, limit, out);
  if (out.size() > limit) out = out.substr(0, limit) + "...";
  return out;
}

std::vector<float> SumTrees::evaluate(std::span<const float> contributions) const {
  std::vector<float> values(contributions.begin(), contributions.end());
  values.resize(nodes_.size());
  for (std::size_t id = index(ranks_); id < nodes_.size(); ++id)  // parts have lower ids
    values[id] = values[index(nodes_[id].left)] + values[index(nodes_[id].right)];
  return values;
}

// Recursive, but never deeper than `limit`: every level prints a bracket first.
void SumTrees::print(Id id, std::size_t limit, std::string& out) const {
  if (out.size() > limit) return;
  const Node& n = nodes_[index(id)];
  if (n.left == kNothing) {
    out += std::to_string(id);
    return;
  }
  const bool in_order = lowest_rank(n.left) <= lowest_rank(n.right);
  out += '(';
  print(in_order ? n.left : n.right, limit, out);
  out += '+';
  print(in_order ? n.right : n.left, limit, out);
  out += ')';
}

}  // namespace arlab
