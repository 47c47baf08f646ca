#include "simulator/engine/peers_of.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arlab::simulator {

PeersOf peers_in_programs(const Algorithm& algorithm, std::vector<Lane> lanes) {
  constexpr Count kMostActions = Count{1} << 22;  // hundredths of a second
  Count left = kMostActions;
  return [&algorithm, lanes = std::move(lanes),
          left](Rank rank) mutable -> std::optional<std::vector<Rank>> {
    std::vector<Rank> peers;
    for (const Lane& lane : lanes)
      for (Program program = algorithm.program(lane.problem, rank); program.next();) {
        const Round round = program.round();
        left -= static_cast<Count>(round.size()) + 1;
        if (left < 0) return {};
        for (const Action& action : round)
          if (action.sends() && (peers.empty() || peers.back() != action.peer))
            peers.push_back(action.peer);
      }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    return peers;
  };
}

PeersOf all_ranks(Rank ranks) {
  return [ranks](Rank) {
    std::vector<Rank> peers(static_cast<std::size_t>(ranks));
    std::iota(peers.begin(), peers.end(), 0);
    return std::optional(std::move(peers));
  };
}

}  // namespace arlab::simulator
