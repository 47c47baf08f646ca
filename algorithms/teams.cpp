#include "algorithms/teams.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"

namespace arlab {
namespace {

Rank places(const Groups& groups) {
  Rank most = 0;
  for (Rank g = 0; g < groups.count(); ++g) most = std::max(most, groups.size_of(g));
  return most;
}

}  // namespace

Team team_of_group(const Problem&, Rank group) { return 1 + group; }

Team team_of_place(const Problem& p, Rank place) { return 1 + p.groups->count() + place; }

Team teams(const Problem& p) {
  return p.groups ? team_of_place(p, places(*p.groups)) : kEveryone + 1;
}

bool is_member(const Problem& p, Team team, Rank rank) {
  if (team == kEveryone) return true;
  return p.groups && (team == team_of_group(p, p.groups->group_of(rank)) ||
                      team == team_of_place(p, p.groups->place_of(rank)));
}

std::vector<Rank> members(const Problem& p, Team team) {
  std::vector<Rank> all;
  for (Rank r = 0; r < p.ranks; ++r)
    if (is_member(p, team, r)) all.push_back(r);
  expects(!all.empty(), "a team of the problem");
  return all;
}

std::string refuse_without(bool sums, std::string_view algorithm) {
  if (sums) return "";
  return concat(algorithm,
                " needs switches that add for these ranks, which no backend has: simulate it with "
                "model fluid on a topology whose switches aggregate, such as dgx_h100");
}

}  // namespace arlab
