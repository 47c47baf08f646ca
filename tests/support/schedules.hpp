// Schedules as plain lists, and errors as plain text, for the tests of algorithms/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/match_schedule.hpp"

namespace arlab {

using Rounds = std::vector<std::vector<Action>>;  ///< of one rank
using AllRounds = std::vector<Rounds>;            ///< of every rank

inline Program replay(Rounds rounds) {
  for (const auto& round : rounds) co_yield Round(round);
}

inline Schedule replay(AllRounds script) {
  return [script = std::move(script)](Rank me) { return replay(script[std::size_t(me)]); };
}

inline Rounds rounds_of(Program program) {
  Rounds rounds;
  while (program.next()) rounds.emplace_back(program.round().begin(), program.round().end());
  return rounds;
}

inline AllRounds script_of(const Algorithm& algorithm, const Problem& problem) {
  AllRounds script;
  for (Rank r = 0; r < problem.ranks; ++r)
    script.push_back(rounds_of(algorithm.program(problem, r)));
  return script;
}

/// Returns the text of the Error that `action` throws with this blame, or that it throws none.
template <class F>
std::string error_text(Blame blame, F action) {
  try {
    action();
  } catch (const Error& error) {
    return error.blame() == blame ? error.what() : "another blame: " + std::string(error.what());
  }
  return "no error";
}

}  // namespace arlab
