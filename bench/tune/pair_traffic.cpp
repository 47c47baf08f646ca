#include "bench/tune/pair_traffic.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/verify/match_schedule.hpp"

namespace arlab::bench {

PairTraffic::Sent PairTraffic::sum() const {
  Sent all;
  for (const Sent& cell : cells_) {
    all.messages += cell.messages;
    all.bytes += cell.bytes;
  }
  return all;
}

PairTraffic& PairTraffic::operator+=(const PairTraffic& other) {
  expects(ranks_ == other.ranks_, "a sum of the traffic of different ranks");
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].messages += other.cells_[i].messages;
    cells_[i].bytes += other.cells_[i].bytes;
  }
  return *this;
}

PairTraffic traffic_of(const Algorithm& algorithm, const Problem& problem, Count element_bytes) {
  PairTraffic traffic(problem.ranks);
  for (const Lane& lane : lanes_of(algorithm, problem)) {
    MatchCallbacks callbacks;
    callbacks.on_round_start = [&, blocks = lane.problem.blocks()](Rank from, Count, Round round) {
      for (const Action& action : round)
        if (const Count elements = blocks.size(action.chunks); action.sends() && elements > 0)
          traffic.add(from, action.peer, elements * element_bytes);
      return Fault{};
    };
    const MatchResult matched = match_schedule(algorithm, lane.problem, callbacks);
    if (matched.fault) fail(Blame::check, std::string(algorithm.name) + ": " + matched.fault.text);
  }
  return traffic;
}

}  // namespace arlab::bench
