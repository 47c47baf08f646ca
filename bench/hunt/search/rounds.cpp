#include "bench/hunt/search/rounds.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/problem.hpp"
#include "bench/hunt/search/times.hpp"

namespace arlab::hunt {

std::vector<PairRound> tournament(std::span<const Rank> players, Count most) {
  const auto given = static_cast<Count>(players.size());
  if (given < 2 || most < 1) return {};
  const Count seats = given + given % 2, turning = seats - 1;  // one seat may be empty
  const Count rounds = std::min(most, turning);
  std::vector<PairRound> all;
  for (Count k = 0; k < rounds; ++k) {
    const Count r = k * turning / rounds;
    PairRound round;
    const auto add = [&](Count a, Count b) {
      if (a < given && b < given) round.push_back({players[index(a)], players[index(b)]});
    };
    add(r, turning);
    for (Count i = 1; i < seats / 2; ++i) add((r + i) % turning, (r - i + turning) % turning);
    all.push_back(std::move(round));
  }
  return all;
}

Plan plan_of(Rank ranks) {
  constexpr Rank kAllPairs = 64;
  constexpr Count kMostAlone = 8;
  if (ranks < 2) return {};
  if (ranks <= kAllPairs)
    return {.scan = ranks - 1 + ranks % 2,
            .most_tests = 2 * Count{ranks},
            .most_alone = std::min(kMostAlone, Count{ranks} / 2)};
  const Count steps = ceil_log2(ranks);
  return {.scan = 3 * steps, .most_tests = steps, .most_alone = kMostAlone, .is_sample = true};
}

Bytes fitting_bytes(const Probe& probe) {
  constexpr double kLongest = 20'000;  // microseconds
  constexpr Bytes kTried = Bytes{64} << 10;
  std::vector<Rank> everyone(index(probe.ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::vector<PairRound> rounds = tournament(everyone, 1);
  if (rounds.empty()) return probe.most_bytes;
  probe.round_trips(rounds.front(), kTried);  // opens connections
  const double us = median(probe.round_trips(rounds.front(), kTried));
  Bytes bytes = kTried;
  while (2 * bytes <= probe.most_bytes && static_cast<double>(2 * bytes / kTried) * us <= kLongest)
    bytes *= 2;
  return bytes;
}

}  // namespace arlab::hunt
