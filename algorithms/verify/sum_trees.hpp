// Sums: symbolic values for verify: hash-consed sum trees, each with the set of contributions in
// it.
//
// Equal trees are one id, so "the same order of additions" is one integer comparison.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class SumTrees {
 public:
  using Id = std::int32_t;
  static constexpr Id kNothing = -1;

  /// The contributions of `ranks` ranks are the ids 0 to ranks - 1.
  explicit SumTrees(Rank ranks);

  /// The id of a + b (= b + a). If both hold one same contribution, `shared` is set to that rank,
  /// else to -1.
  Id add(Id a, Id b, Rank& shared);

  /// A rank whose contribution `id` lacks, -1 if it has all.
  Rank lacks(Id id) const;
  /// Whether the contribution of `rank` is in it, and of how many ranks it holds one.
  bool has(Id id, Rank rank) const { return set(id)[index(rank) / 64] >> (rank % 64) & 1; }
  Count contributions(Id id) const { return nodes_[index(id)].contributions; }
  /// Of all that were made so far: ids are below.
  Id count() const { return static_cast<Id>(nodes_.size()); }
  /// "((0+1)+2)"; cut short after `limit` characters.
  std::string bracketing(Id id, std::size_t limit) const;

 private:
  struct Node {
    Id left, right;  // kNothing, kNothing in a contribution
    Count contributions;
  };
  static std::size_t index(Id id) { return static_cast<std::size_t>(id); }
  const std::uint64_t* set(Id id) const { return sets_.data() + index(id) * words_; }
  Rank lowest(Id id) const;  // of the contributions in it
  void print(Id id, std::size_t limit, std::string& out) const;
  Id append(Id left, Id right);

  Rank ranks_;
  std::size_t words_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> sets_;  // words_ a node, bit r: the contribution of rank r
  std::unordered_map<std::uint64_t, Id> known_;
  std::uint64_t last_key_ =
      ~std::uint64_t{0};  // neighbouring chunks mostly repeat the same addition
  Id last_ = kNothing;
};

}  // namespace arlab
