// Groups: which ranks share a node (or a leaf, a rack, ...): any partition of the ranks.
//
// A topology or a user defines them, and a Problem points to them. Groups are numbered from 0 in
// the order of their first ranks, and the places in a group in the order of its ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class Groups {
 public:
  /// `of_rank`: each rank's group, under any distinct numbers.
  explicit Groups(std::span<const std::int32_t> of_rank);
  /// Returns groups of `size` consecutive ranks; the last group may have fewer.
  static Groups consecutive(Rank ranks, Rank size);

  Rank ranks() const { return static_cast<Rank>(group_.size()); }
  Rank count() const { return static_cast<Rank>(members_.size()); }
  Rank group_of(Rank rank) const { return group_[index(rank)]; }
  /// Returns the rank's place in its group.
  Rank place_of(Rank rank) const { return place_[index(rank)]; }
  Rank size_of(Rank group) const { return static_cast<Rank>(list(group).size()); }
  Rank member(Rank group, Rank place) const { return list(group)[index(place)]; }
  /// Returns the size of every group; 0 when sizes differ.
  Rank even_size() const { return even_size_; }

 private:
  const std::vector<Rank>& list(Rank group) const { return members_[index(group)]; }
  std::vector<Rank> group_, place_;         // of each rank
  std::vector<std::vector<Rank>> members_;  // of each group
  Rank even_size_ = 0;
};

}  // namespace arlab
