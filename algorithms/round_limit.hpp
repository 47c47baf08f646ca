// RoundLimit: the most rounds that a rank's program may have, so that a program without an end
// stops with a sentence.
//
// An algorithm may use ten times the rounds that its cost model claims, and 10'000 more. Without a
// claim the limit is 1'000 rounds per rank, and 100'000 more.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/stop.hpp"

namespace arlab {

class RoundLimit {
 public:
  /// The limit of a program that nothing is known about.
  explicit RoundLimit(Rank ranks) : ranks_(ranks), rounds_(100'000 + 1'000 * Count{ranks}) {}
  /// The limit of an algorithm on one lane's problem.
  RoundLimit(const Algorithm& algorithm, const Problem& problem);

  Count rounds() const { return rounds_; }
  /// Returns the sentence about a rank that has started a round beyond the limit.
  std::string text(Rank rank) const;
  /// Throws Error(check) if `round` is beyond the limit.
  void check(Rank rank, Count round) const {
    if (round > rounds_) stop(rank);
  }

 private:
  [[noreturn]] void stop(Rank rank) const;

  std::string_view name_;  // of the algorithm; empty if it is not known
  Rank ranks_;
  Count rounds_;
  Count claimed_ = -1;
};

/// One rank's program, within the limit of its algorithm.
class LimitedProgram {
 public:
  LimitedProgram(const Algorithm& algorithm, const Problem& problem, Rank me)
      : program_(algorithm.program(problem, me)), limit_(algorithm, problem), me_(me) {}

  /// Advances to the next round. Returns false at the end of the program. Throws Error(check)
  /// beyond the limit.
  bool next() {
    stop_if_asked();
    if (!program_.next()) return false;
    limit_.check(me_, ++rounds_);
    return true;
  }
  Round round() const { return program_.round(); }

 private:
  Program program_;
  RoundLimit limit_;
  Rank me_;
  Count rounds_ = 0;
};

}  // namespace arlab
