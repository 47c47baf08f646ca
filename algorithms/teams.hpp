// Teams: ranks whose values switches can add on the way (in-network reduction).
//
// In a transfer of a team each member has one action: it gives a value to the sum, takes the sum,
// or joins, which is both. The k-th action of each member of a team belong to the k-th transfer,
// and name the same chunks. If all give and one takes, the switches reduce; if one gives and all
// take, they multicast.
//
// A team is a number: all ranks, then each group, then the ranks at each place of their groups.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab {

using Team = Rank;

inline constexpr Team kEveryone = 0;
/// Return the team of a group, and of a place in the groups. The problem has groups.
Team team_of_group(const Problem& p, Rank group);
Team team_of_place(const Problem& p, Rank place);

/// Returns the number of teams.
Team teams(const Problem& p);
/// Returns whether the team exists, and the rank is in it.
bool is_member(const Problem& p, Team team, Rank rank);
/// Returns the ranks of a team, in order.
std::vector<Rank> members(const Problem& p, Team team);

/// Returns why switches do not add for an algorithm that needs it; empty if they do.
std::string refuse_without(bool sums, std::string_view algorithm);

/// Collects the members' actions until those of a transfer are complete. `Place`: where an action
/// is, for the caller.
template <class Place>
class TeamActions {
 public:
  struct Part {
    Rank rank = 0;
    Place place{};
  };

  /// The problem's groups must outlive this.
  explicit TeamActions(const Problem& problem) : problem_(problem) {}

  /// The rank posts its next action of a team of which it is a member. Returns the parts of all
  /// members, by rank, if they are complete now; nothing otherwise.
  std::vector<Part> post(Team number, Rank rank, Place place) {
    State& team = of(number);
    const auto at = std::lower_bound(team.members.begin(), team.members.end(), rank);
    auto& mine = team.posted[static_cast<std::size_t>(at - team.members.begin())];
    if (mine.empty()) ++team.ready;
    mine.push_back(place);
    std::vector<Part> parts;
    if (team.ready < team.members.size()) return parts;
    for (std::size_t i = 0; i < team.members.size(); ++i) {
      parts.push_back({team.members[i], team.posted[i].front()});
      team.posted[i].erase(team.posted[i].begin());
      if (team.posted[i].empty()) --team.ready;
    }
    return parts;
  }

  /// Returns a member that has no action for the team's next transfer; -1 if there is none.
  Rank missing(Team number) {
    State& team = of(number);
    for (std::size_t i = 0; i < team.members.size(); ++i)
      if (team.posted[i].empty()) return team.members[i];
    return -1;
  }

  /// Returns the members of a team. Valid as long as this.
  std::span<const Rank> members_of(Team number) { return of(number).members; }

 private:
  struct State {
    std::vector<Rank> members;
    std::vector<std::vector<Place>> posted;  // of each member, in order
    std::size_t ready = 0;                   // members that have posted one
  };

  State& of(Team number) {
    State& team = teams_[number];
    if (team.members.empty()) {
      team.members = members(problem_, number);
      team.posted.resize(team.members.size());
    }
    return team;
  }

  Problem problem_;
  std::map<Team, State> teams_;
};

}  // namespace arlab
