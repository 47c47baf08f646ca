#include "algorithms/verify/symbolic_state.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

// Checks the memory needed before the first sum.
const Problem& with_memory(const Problem& problem) {
  if (symbol_bytes(problem) > 8.0 * (1 << 30))
    fail(Blame::usage, concat("verifying ", problem.ranks,
                              " ranks needs over 8 GiB of symbols: use fewer ranks"));
  return problem;
}

}  // namespace

double symbol_bytes(const Problem& problem) {
  const double cells = double(problem.ranks) * double(problem.parts());
  return cells * sizeof(SumTrees::Id) + double(problem.ranks) * double(problem.ranks) / 8;
}

Fault fault_at(Fault::Kind kind, Rank rank, Count round, Rank chunk, const std::string& what) {
  const std::string when = round == 0 ? "at the end" : concat("round ", round);
  return {kind, rank, round, chunk,
          concat("rank ", rank, ", ", when, ", chunk ", chunk, ": ", what)};
}

SymbolicState::SymbolicState(const Problem& problem)
    : p_(with_memory(problem)),
      spec_(problem),
      sums_(problem.ranks),
      held_(index(problem.ranks) * index(problem.parts()), SumTrees::kNothing),
      arrived_(index(problem.ranks)) {
  for (Rank r = 0; r < p_.ranks; ++r)
    for (Rank c = 0; c < p_.parts(); ++c)
      if (spec_.holds_at_start(r, c)) held_[cell(r, c)] = r;
}

MatchCallbacks SymbolicState::callbacks() {
  MatchCallbacks callbacks;
  callbacks.on_match = [this](const End& send, const End& receive) {
    return on_match(send, receive);
  };
  callbacks.on_team = [this](std::span<const End> members) { return on_team(members); };
  callbacks.on_round_end = [this](Rank rank, Count number, Count, Round round) {
    return on_round_end(rank, number, round);
  };
  return callbacks;
}

// The sender is still in its round, and receives apply at a round's end: this is the value at the
// start of the round.
Fault SymbolicState::on_match(const End& send, const End& receive) {
  auto& runs = arrived(receive);
  runs.clear();
  Fault fault;
  for_each_chunk(send.action->chunks, p_.parts(), [&](Rank c) {
    const SumTrees::Id value = held(send.rank, c);
    if (value == SumTrees::kNothing && !fault)
      fault = fault_at(Fault::Kind::undefined, send.rank, send.round, c,
                       concat("sends it to rank ", receive.rank, ", but holds no value of it"));
    if (!runs.empty() && runs.back().value == value)
      ++runs.back().chunks;
    else
      runs.push_back({value, 1});
  });
  return fault;
}

Fault SymbolicState::on_team(std::span<const End> members) {
  std::vector<Run> sums;
  Fault fault;
  const auto with = [&](SumTrees::Id sum, const End& end, Rank chunk) {
    const SumTrees::Id value = held(end.rank, chunk);
    if (value == SumTrees::kNothing) {
      if (!fault)
        fault = fault_at(Fault::Kind::undefined, end.rank, end.round, chunk,
                         "gives it to the sum of a team, but holds no value of it");
      return sum;
    }
    if (sum == SumTrees::kNothing) return value;
    Rank shared = -1;
    sum = sums_.add(sum, value, shared);
    if (shared >= 0 && !fault)
      fault = fault_at(
          Fault::Kind::duplicate, end.rank, end.round, chunk,
          concat("the sum of its team would count the contribution of rank ", shared, " twice"));
    return sum;
  };
  for_each_chunk(members[0].action->chunks, p_.parts(), [&](Rank chunk) {
    SumTrees::Id sum = SumTrees::kNothing;
    for (const End& end : members)
      if (end.action->gives()) sum = with(sum, end, chunk);
    sums.push_back({sum, 1});
  });
  for (const End& end : members)
    if (end.action->takes()) arrived(end) = sums;
  return fault;
}

Fault SymbolicState::on_round_end(Rank rank, Count number, Round round) {
  Fault fault;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const Action& a = round[i];
    if (a.sends() || a.kind == ActionKind::give) continue;
    const Run* run = arrived_[index(rank)][i].data();
    Rank used = 0;  // chunks of the run
    for_each_chunk(a.chunks, p_.parts(), [&](Rank chunk) {
      if (used == run->chunks) ++run, used = 0;
      ++used;
      if (a.kind != ActionKind::reduce)
        held_[cell(rank, chunk)] = run->value;
      else if (!fault)
        fault = add(rank, number, chunk, a.peer, run->value);
    });
    if (fault) break;
  }
  return fault;
}

std::vector<SymbolicState::Run>& SymbolicState::arrived(const End& receive) {
  auto& round = arrived_[index(receive.rank)];
  const auto position = index(receive.position);
  if (round.size() <= position) round.resize(position + 1);
  return round[position];
}

Fault SymbolicState::add(Rank rank, Count round, Rank chunk, Rank peer, SumTrees::Id value) {
  SumTrees::Id& mine = held_[cell(rank, chunk)];
  if (mine == SumTrees::kNothing)
    return fault_at(Fault::Kind::undefined, rank, round, chunk,
                    concat("adds to it from rank ", peer, ", but holds no value of it"));
  Rank shared = -1;
  mine = sums_.add(mine, value, shared);
  if (shared < 0) return {};
  return fault_at(Fault::Kind::duplicate, rank, round, chunk,
                  concat("adding from rank ", peer, " would count the contribution of rank ",
                         shared, " twice"));
}

}  // namespace arlab
