// Translated: the rounds of a level's program, with ranks and chunks of the whole problem.
#pragma once

#include <utility>
#include <vector>

#include "algorithms/levels/chunk_map.hpp"
#include "algorithms/program.hpp"
#include "algorithms/teams.hpp"

namespace arlab {

class Translated {
 public:
  /// team: of the level's ranks in the whole problem.
  Translated(Program program, const ChunkMap& chunks, Team team)
      : program_(std::move(program)), map_(chunks), team_(team) {}
  template <class RankOf>
  bool next(RankOf rank_of) {
    if (!program_.next()) return false;
    round_.clear();
    for (const Action& a : program_.round())
      round_.push_back({a.kind, a.in_team() ? team_ : rank_of(a.peer), map_(a.chunks)});
    return true;
  }
  Round round() const { return round_; }

 private:
  Program program_;
  ChunkMap map_;
  Team team_;
  std::vector<Action> round_;
};

}  // namespace arlab
