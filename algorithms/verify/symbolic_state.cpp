#include "algorithms/verify/symbolic_state.hpp"

#include "algorithms/base/error.hpp"

namespace arlab {
namespace {

// What is needed before the first sum is made: a value for each rank and chunk, a set for each
// contribution.
const Problem& with_memory(const Problem& problem) {
  const double cells = double(problem.ranks) * double(problem.ranks);
  if (cells * sizeof(SumTrees::Id) + cells / 8 > 8.0 * (1 << 30))
    fail(Blame::usage, "verifying " + std::to_string(problem.ranks) +
                           " ranks needs over 8 GiB of symbols: use fewer ranks (-p)");
  return problem;
}

}  // namespace

Fault fault_at(Fault::Kind kind, Rank rank, Count round, Rank chunk, const std::string& what) {
  const std::string when = round == 0 ? "at the end" : "round " + std::to_string(round);
  return {kind, rank, round, chunk,
          "rank " + std::to_string(rank) + ", " + when + ", chunk " + std::to_string(chunk) + ": " +
              what};
}

SymbolicState::SymbolicState(const Problem& problem)
    : p_(with_memory(problem)),
      spec_(problem),
      sums_(problem.ranks),
      held_(std::size_t(problem.ranks) * std::size_t(problem.ranks), SumTrees::kNothing),
      arrived_(std::size_t(problem.ranks)) {
  for (Rank r = 0; r < p_.ranks; ++r)
    for (Rank c = 0; c < p_.ranks; ++c)
      if (spec_.holds_at_start(r, c)) held_[index(r, c)] = r;
}

// The sender is still in its round and receives apply at a round's end, so this is the value at the
// round's start.
Fault SymbolicState::meets(const End& send, const End& receive) {
  auto& runs = arrived(receive);
  runs.clear();
  const ChunkRange chunks = send.action->chunks;
  for (Rank c = chunks.first; c < chunks.end(); ++c) {
    const SumTrees::Id value = held(send.rank, c);
    if (value == SumTrees::kNothing)
      return fault_at(
          Fault::Kind::unheld, send.rank, send.round, c,
          "sends it to rank " + std::to_string(receive.rank) + ", but holds no value of it");
    if (!runs.empty() && runs.back().value == value)
      ++runs.back().chunks;
    else
      runs.push_back({value, 1});
  }
  return {};
}

Fault SymbolicState::ends(Rank rank, Count number, Count, Round round) {
  for (std::size_t i = 0; i < round.size(); ++i) {
    const Action& a = round[i];
    if (a.sends()) continue;
    Rank chunk = a.chunks.first;
    for (const Run& run : arrived_[std::size_t(rank)][i])
      for (Rank k = 0; k < run.chunks; ++k, ++chunk) {
        if (a.kind == ActionKind::replace) {
          held_[index(rank, chunk)] = run.value;
        } else if (Fault wrong = add(rank, number, chunk, a.peer, run.value)) {
          return wrong;
        }
      }
  }
  return {};
}

std::vector<SymbolicState::Run>& SymbolicState::arrived(const End& receive) {
  auto& round = arrived_[std::size_t(receive.rank)];
  const auto position = std::size_t(receive.position);
  if (round.size() <= position) round.resize(position + 1);
  return round[position];
}

Fault SymbolicState::add(Rank rank, Count round, Rank chunk, Rank peer, SumTrees::Id value) {
  SumTrees::Id& mine = held_[index(rank, chunk)];
  if (mine == SumTrees::kNothing)
    return fault_at(Fault::Kind::unheld, rank, round, chunk,
                    "adds to it from rank " + std::to_string(peer) + ", but holds no value of it");
  Rank shared = -1;
  mine = sums_.add(mine, value, shared);
  if (shared < 0) return {};
  return fault_at(Fault::Kind::doubled, rank, round, chunk,
                  "what it adds from rank " + std::to_string(peer) +
                      " would count the contribution of rank " + std::to_string(shared) + " twice");
}

}  // namespace arlab
