#include "bench/sweep/round_size.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/round_limit.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kExact = 64;      // up to this number of ranks nothing is extended
constexpr Count kRounds = 2048;  // later rounds of an algorithm are as large as earlier ones

Count rounds_to_look_at(const Problem& p) { return p.ranks <= kExact ? kRounds : 16; }

// Whether the rounds depend on where ranks are.
bool is_placed(const Config& config) {
  return config.algorithm->grouped || config.algorithm->gridded || config.algorithm->forested;
}

RoundSizes::Size largest_round(const Algorithm& algorithm, const Problem& problem, Rank of_rank) {
  RoundSizes::Size largest;
  const Blocks blocks = problem.blocks();
  Count left = rounds_to_look_at(problem);
  for (LimitedProgram p(algorithm, problem, of_rank); left-- > 0 && p.next();) {
    Count reduced = 0;
    for (const Action& a : p.round())
      if (a.kind == ActionKind::reduce) reduced += blocks.size(a.chunks);
    largest.actions = std::max(largest.actions, static_cast<double>(p.round().size()));
    largest.reduced = std::max(
        largest.reduced, static_cast<double>(reduced) / static_cast<double>(problem.elements));
  }
  return largest;
}

}  // namespace

RoundSizes::Size RoundSizes::measured(const Config& config, Rank ranks, Of rank) {
  const auto key = std::make_tuple(config.algorithm, config.problem.collective, ranks, rank);
  if (const auto found = known_.find(key); found != known_.end() && !is_placed(config))
    return found->second;
  Problem p = config.problem;
  if (ranks != p.ranks) p.groups = nullptr, p.grid = nullptr, p.forest = nullptr;
  p.ranks = ranks;
  p.elements = Count{64} * ranks;  // equal chunks
  p.root = 0;
  if (!unsupported(*config.algorithm, p).empty()) return {};
  return known_[key] = largest_round(*config.algorithm, p, rank == Of::root ? 0 : ranks - 1);
}

RoundSizes::Size RoundSizes::operator()(const Config& config, Of rank) {
  const Rank ranks = config.problem.ranks;
  if (ranks <= kExact || is_placed(config)) return measured(config, ranks, rank);
  const Size at = measured(config, kExact, rank), before = measured(config, kExact / 2, rank);
  if (at.actions == 0 || before.actions == 0) {  // no form for a power of two
    constexpr Rank kFew = 1 << 16;
    if (ranks <= kFew) return measured(config, ranks, rank);
    return {2. * ranks, static_cast<double>(ranks)};  // the most that a round could hold
  }
  const double steps = static_cast<double>(ranks - kExact) / (kExact / 2);
  const auto extended = [steps](double now, double earlier) {
    const bool folds = 3 * earlier < now;  // an extra rank at one number only: no growth
    return folds ? now : now + std::max(0., now - earlier) * steps;
  };
  Size size{extended(at.actions, before.actions), extended(at.reduced, before.reduced)};
  // Parts of the vector become smaller: as 1/m, the least that an algorithm can split into.
  if (at.reduced < before.reduced) size.reduced = at.reduced * kExact / ranks;
  return size;
}

double RoundSizes::reduced_elements(const Config& config) {
  const double part =
      std::max((*this)(config, Of::root).reduced, (*this)(config, Of::last_rank).reduced);
  const double lanes = static_cast<double>(config.segments) * config.algorithm->lanes;
  return std::ceil(part * std::ceil(static_cast<double>(config.problem.elements) / lanes) - 1e-9);
}

}  // namespace arlab::bench
