#include "algorithms/groups.hpp"

#include <algorithm>
#include <unordered_map>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {

Groups::Groups(std::span<const std::int32_t> of_rank) {
  std::unordered_map<std::int32_t, Rank> number;
  for (std::size_t r = 0; r < of_rank.size(); ++r) {
    const Rank group = number.emplace(of_rank[r], count()).first->second;
    if (group == count()) members_.emplace_back();
    std::vector<Rank>& members = members_[index(group)];
    group_.push_back(group);
    place_.push_back(static_cast<Rank>(members.size()));
    members.push_back(static_cast<Rank>(r));
  }
  const auto differs = [&](const auto& group) { return group.size() != members_.front().size(); };
  if (!members_.empty() && std::none_of(members_.begin(), members_.end(), differs))
    even_size_ = size_of(0);
}

Groups Groups::consecutive(Rank ranks, Rank size) {
  if (size < 1) fail(Blame::usage, concat("groups of ", size, " ranks: give at least 1"));
  std::vector<std::int32_t> of_rank;
  for (Rank r = 0; r < ranks; ++r) of_rank.push_back(r / size);
  return Groups(of_rank);
}

}  // namespace arlab
