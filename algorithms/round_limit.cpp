#include "algorithms/round_limit.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {

RoundLimit::RoundLimit(const Algorithm& algorithm, const Problem& problem)
    : RoundLimit(problem.ranks) {
  name_ = algorithm.name;
  if (!algorithm.cost_model) return;
  const Count claimed = algorithm.cost_model(problem).rounds;
  if (claimed < 0 || claimed > rounds_ / 10) return;  // it limits nothing
  claimed_ = claimed;
  rounds_ = std::min(rounds_, 10 * claimed + 10'000);
}

std::string RoundLimit::text(Rank rank) const {
  return concat("rank ", rank, " of ", ranks_, " has not ended after ", rounds_,
                " rounds, the limit ",
                claimed_ < 0 ? concat("for ", ranks_, " ranks")
                             : concat("for the ", claimed_, " rounds that the algorithm claims"),
                ": look for a loop that does not end");
}

void RoundLimit::stop(Rank rank) const {
  fail(Blame::check, concat(name_, name_.empty() ? "" : ": ", text(rank)));
}

}  // namespace arlab
