#include "algorithms/verify/has_root.hpp"

#include <algorithm>

namespace arlab {

bool has_root(const Algorithm& algorithm, const Problem& problem) {
  if (problem.collective == Collective::reduce || problem.collective == Collective::broadcast)
    return true;
  if (problem.ranks < 2 || !unsupported(algorithm, problem).empty()) return false;
  constexpr int kRounds = 64;
  Problem first = problem, other = problem;
  first.root = 0;
  other.root = 1;
  Program here = algorithm.program(first, 0), there = algorithm.program(other, 0);
  for (int round = 0; round < kRounds; ++round) {
    const bool more = here.next();
    if (more != there.next()) return true;
    if (!more) return false;
    if (!std::ranges::equal(here.round(), there.round())) return true;
  }
  return false;
}

}  // namespace arlab
