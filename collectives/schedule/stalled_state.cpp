#include "collectives/schedule/stalled_state.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/base/text.hpp"
#include "algorithms/verify/action_text.hpp"
#include "algorithms/verify/live_state.hpp"

namespace arlab::collectives {
namespace {

// The first collective is number 1, inside and after it.
std::uint32_t number_of(const SeenPlace& place) { return (place.collective + 1) / 2; }
bool is_inside(const SeenPlace& place) { return place.collective % 2 == 1; }

std::vector<LiveRank> live_ranks(Rank ranks, std::span<const SeenPlace> places,
                                 std::uint32_t number, std::size_t lane) {
  std::vector<LiveRank> all(index(ranks));
  for (const SeenPlace& place : places) {
    if (place.rank >= ranks) continue;
    LiveRank& its = all[index(place.rank)];
    its.missing = place.missing;
    its.round = place.rounds[lane];
    const bool inside =
        number_of(place) == number && is_inside(place) && its.round != Count{Place::kEnded};
    its.is = number_of(place) < number ? LiveRank::Is::before
             : inside                  ? LiveRank::Is::inside
                                       : LiveRank::Is::after;
  }
  return all;
}

}  // namespace

std::string stalled_state(const Algorithm& algorithm, const Problem& problem, int segments,
                          DType dtype, std::span<const SeenPlace> places, Rank me) {
  // Programs of many ranks take long to read.
  constexpr Rank kMostRanks = 256;
  constexpr std::size_t kMostLanes = 4;  // that are shown: the others are like them
  const auto mine = std::find_if(places.begin(), places.end(),
                                 [&](const SeenPlace& place) { return place.rank == me; });
  if (mine == places.end() || problem.ranks > kMostRanks) return "";
  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  std::string text;
  for (std::size_t lane = 0; lane < lanes.size() && lane < kMostLanes; ++lane) {
    const std::string state =
        live_state(algorithm, lanes[lane].problem, static_cast<int>(size_of(dtype)),
                   live_ranks(problem.ranks, places, number_of(*mine), lane));
    if (state.empty()) continue;
    if (lanes.size() > 1) text += concat("\n lane ", lane, " of ", lanes.size(), ":");
    text += state;
  }
  for (const SeenPlace& place : places)
    if (place.missing && number_of(place) == number_of(*mine) && !is_inside(place))
      text += concat("\n  rank ", place.rank, " stopped after its last round of this collective");
  return text;
}

std::string stalled_places(std::span<const SeenPlace> places, Rank me) {
  const auto mine = std::find_if(places.begin(), places.end(),
                                 [&](const SeenPlace& place) { return place.rank == me; });
  if (mine == places.end() || !is_inside(*mine)) return "";
  std::string text;
  for (const SeenPlace& its : places) {
    if (!its.missing) continue;
    if (its.collective == mine->collective && its.rounds[0] > 0)
      text += concat("\n  ", place_text(its.rank, its.rounds[0]), "stopped in this collective");
    else if (its.collective == mine->collective)
      text += concat("\n  rank ", its.rank, " stopped in this collective");
    else
      text += concat("\n  rank ", its.rank,
                     its.collective < mine->collective ? " stopped before it came to"
                                                       : " stopped after it had left",
                     " this collective");
  }
  return text;
}

std::string stalled_between(std::span<const SeenPlace> places) {
  std::string text;
  for (const SeenPlace& place : places) {
    if (!place.missing) continue;
    const std::uint32_t round = *std::max_element(place.rounds.begin(), place.rounds.end());
    if (!is_inside(place))
      text +=
          concat("\n  rank ", place.rank, " stopped between collectives, after ", number_of(place));
    else if (round == 0)
      text += concat("\n  rank ", place.rank, " stopped in the collective before");
    else
      text += concat("\n  ", place_text(place.rank, round), "stopped in the collective before");
  }
  return text;
}

}  // namespace arlab::collectives
