// SumTrees: the symbolic values of verify. Each is a hash-consed sum tree with the set of its
// contributions.
//
// Equal trees share one id, so comparing two orders of additions is one integer comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class SumTrees {
 public:
  using Id = std::int32_t;
  static constexpr Id kNothing = -1;

  /// Ids 0 to ranks - 1 are the contributions of the ranks.
  explicit SumTrees(Rank ranks);

  /// Returns the id of a + b (= b + a). Sets `shared` to a rank whose contribution both hold, or to
  /// -1.
  Id add(Id a, Id b, Rank& shared);

  /// Returns a rank whose contribution is not in `id`; -1 if all are.
  Rank missing_rank(Id id) const;
  /// Returns whether the contribution of `rank` is in `id`.
  bool has(Id id, Rank rank) const { return set(id)[index(rank) / 64] >> (rank % 64) & 1; }
  /// Returns the number of contributions in `id`.
  Count contributions(Id id) const { return nodes_[index(id)].contributions; }
  /// Returns the number of trees so far; all ids are below it.
  Id count() const { return static_cast<Id>(nodes_.size()); }
  /// Returns "((0+1)+2)", cut off after `limit` characters.
  std::string bracketing(Id id, std::size_t limit) const;
  /// Returns the value of every tree in float, for these contributions of the ranks.
  std::vector<float> evaluate(std::span<const float> contributions) const;

 private:
  struct Node {
    Id left, right;  // kNothing, kNothing in a contribution
    Count contributions;
  };
  const std::uint64_t* set(Id id) const { return sets_.data() + index(id) * words_; }
  Rank lowest_rank(Id id) const;  // of the contributions in it
  void print(Id id, std::size_t limit, std::string& out) const;
  Id append(Id left, Id right);

  Rank ranks_;
  std::size_t words_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> sets_;  // words_ per node; bit r: the contribution of rank r
  std::unordered_map<std::uint64_t, Id> known_;
  std::uint64_t last_key_ = ~std::uint64_t{0};  // neighboring chunks mostly repeat an addition
  Id last_ = kNothing;
};

}  // namespace arlab
