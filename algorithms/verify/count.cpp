#include "algorithms/verify/count.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"

namespace arlab {
namespace {

class Counter : public Visitor {
 public:
  Counter(const Problem& problem, std::vector<Cost>& rank)
      : blocks_(problem.blocks()), rank_(rank) {}

  Fault starts(Rank r, Count, Round round) override {
    Cost& cost = rank_[static_cast<std::size_t>(r)];
    for (const Action& a : round) {
      if (!a.sends()) continue;
      const Count elements = blocks_.size(a.chunks);
      cost.elements += elements;
      cost.messages += elements > 0 ? 1 : 0;
    }
    return {};
  }

 private:
  Blocks blocks_;
  std::vector<Cost>& rank_;
};

}  // namespace

Counts count(const Algorithm& algorithm, const Problem& problem, int segments) {
  Counts counts;
  counts.rank.resize(static_cast<std::size_t>(problem.ranks));
  for (const Lane& lane : lanes_of(algorithm, problem, segments)) {
    Counter counter(lane.problem, counts.rank);
    const Walk walked = walk(lane.problem, schedule_of(algorithm, lane.problem), counter);
    if (walked.fault) fail(Blame::check, std::string(algorithm.name) + ": " + walked.fault.text);
    counts.all.rounds = std::max(counts.all.rounds, walked.rounds);
    for (std::size_t r = 0; r < counts.rank.size(); ++r)
      counts.rank[r].rounds = std::max(counts.rank[r].rounds, walked.rounds_of[r]);
  }
  for (const Cost& cost : counts.rank) {
    counts.all.messages += cost.messages;
    counts.all.elements += cost.elements;
  }
  return counts;
}

}  // namespace arlab
