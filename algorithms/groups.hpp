// Groups: which ranks share a node (or a leaf, a rack, ...): any partition of the ranks.
//
// Built from what a topology or a user says, and pointed to by a Problem; groups and the places in
// them are numbered from 0, in the order in which the ranks meet them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

class Groups {
 public:
  /// `of_rank`: each rank's group, as any numbers that tell groups apart.
  explicit Groups(std::span<const std::int32_t> of_rank);
  /// `size` consecutive ranks a group; the last may have fewer.
  static Groups consecutive(Rank ranks, Rank size);

  Rank ranks() const { return static_cast<Rank>(group_.size()); }
  Rank count() const { return static_cast<Rank>(members_.size()); }
  Rank group_of(Rank rank) const { return group_[static_cast<std::size_t>(rank)]; }
  /// The rank's place in its group.
  Rank place_of(Rank rank) const { return place_[static_cast<std::size_t>(rank)]; }
  Rank size_of(Rank group) const { return static_cast<Rank>(list(group).size()); }
  Rank member(Rank group, Rank place) const { return list(group)[static_cast<std::size_t>(place)]; }
  /// The size of every group; 0 when they differ.
  Rank even_size() const { return even_size_; }

 private:
  const std::vector<Rank>& list(Rank group) const {
    return members_[static_cast<std::size_t>(group)];
  }
  std::vector<Rank> group_, place_;         // of each rank
  std::vector<std::vector<Rank>> members_;  // of each group
  Rank even_size_ = 0;
};

}  // namespace arlab
