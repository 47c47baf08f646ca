#include "algorithms/verify/verify.hpp"

#include "algorithms/base/text.hpp"
#include "algorithms/verify/symbolic_state.hpp"

namespace arlab {
namespace {

constexpr std::size_t kBracketingLimit = 400;  // characters

Fault check_end(const SymbolicState& all, Rank rank, Rank chunk) {
  const SumTrees::Id value = all.held(rank, chunk);
  const auto missing = [&](const std::string& what) {
    return fault_at(Fault::Kind::missing, rank, 0, chunk, what);
  };
  if (value == SumTrees::kNothing) return missing("holds no value of it");
  if (all.spec().sums()) {
    const Rank absent = all.sums().missing_rank(value);
    if (absent < 0) return {};
    return missing(concat("the contribution of rank ", absent, " is missing"));
  }
  const Rank source = all.spec().source(chunk);
  if (value == source) return {};
  return missing(concat("holds ", all.sums().bracketing(value, kBracketingLimit),
                        " instead of the value of rank ", source));
}

Proof conclude(const SymbolicState& all, const MatchResult& matched) {
  if (matched.fault) return {matched.fault, "", false};
  Proof proof;
  SumTrees::Id shown = SumTrees::kNothing;
  const Rank ranks = all.problem().ranks;
  for (Rank chunk = 0; chunk < all.problem().parts(); ++chunk) {
    SumTrees::Id first = SumTrees::kNothing;
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (!all.spec().needs_at_end(rank, chunk)) continue;
      if ((proof.fault = check_end(all, rank, chunk))) return proof;
      const SumTrees::Id value = all.held(rank, chunk);
      if (first == SumTrees::kNothing) first = value;
      if (shown == SumTrees::kNothing) shown = value;
      proof.same_on_all_ranks = proof.same_on_all_ranks && value == first;
    }
  }
  if (shown != SumTrees::kNothing)
    proof.bracketing = all.sums().bracketing(shown, kBracketingLimit);
  return proof;
}

}  // namespace

Proof verify(const Problem& problem, const Schedule& schedule) {
  check(problem);
  SymbolicState all(problem);
  return conclude(all, match_schedule(problem, schedule, all.callbacks()));
}

Proof verify(const Algorithm& algorithm, const Problem& problem, int segments) {
  Proof whole;
  bool first = true;
  for (const Lane& lane : lanes_of(algorithm, problem, segments)) {
    SymbolicState all(lane.problem);
    Proof proof = conclude(all, match_schedule(algorithm, lane.problem, all.callbacks()));
    if (!proof) add_place(algorithm, lane.problem, proof.fault);
    if (!proof) return proof;
    if (first) whole.bracketing = proof.bracketing;
    whole.same_on_all_ranks = whole.same_on_all_ranks && proof.same_on_all_ranks;
    first = false;
  }
  return whole;
}

}  // namespace arlab
