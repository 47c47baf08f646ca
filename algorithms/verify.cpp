#include "algorithms/verify.hpp"

#include "algorithms/error.hpp"
#include "algorithms/spec.hpp"
#include "algorithms/sums.hpp"

namespace arlab {
namespace {

constexpr std::size_t kBracketingLimit = 400;  // characters

// What is needed before the first sum is made: a value for each rank and chunk, a set for each
// contribution.
void check_memory(Rank ranks) {
  const double cells = double(ranks) * double(ranks);
  if (cells * sizeof(Sums::Id) + cells / 8 > 8.0 * (1 << 30))
    fail(Blame::usage, "verifying " + std::to_string(ranks) +
                           " ranks needs over 8 GiB of symbols: use fewer ranks (-p)");
}

class Verifier : public Visitor {
 public:
  explicit Verifier(const Problem& problem)
      : p_(problem),
        spec_(problem),
        sums_(problem.ranks),
        held_(std::size_t(problem.ranks) * std::size_t(problem.ranks), Sums::kNothing),
        arrived_(std::size_t(problem.ranks)) {
    for (Rank r = 0; r < p_.ranks; ++r)
      for (Rank c = 0; c < p_.ranks; ++c)
        if (spec_.holds_at_start(r, c)) held(r, c) = r;
  }

  // The sender is still in its round and receives apply at a round's end, so this is the value at
  // the round's start.
  Fault meets(const End& send, const End& receive) override {
    auto& runs = arrived(receive);
    runs.clear();
    const Chunks chunks = send.action->chunks;
    for (Rank c = chunks.first; c < chunks.end(); ++c) {
      const Sums::Id value = held(send.rank, c);
      if (value == Sums::kNothing)
        return fault(
            Fault::Kind::unheld, send.rank, send.round, c,
            "sends it to rank " + std::to_string(receive.rank) + ", but holds no value of it");
      if (!runs.empty() && runs.back().value == value)
        ++runs.back().chunks;
      else
        runs.push_back({value, 1});
    }
    return {};
  }

  Fault ends(Rank rank, Count number, Count, Round round) override {
    for (std::size_t i = 0; i < round.size(); ++i) {
      const Action& a = round[i];
      if (a.sends()) continue;
      Rank chunk = a.chunks.first;
      for (const Run& run : arrived_[std::size_t(rank)][i])
        for (Rank k = 0; k < run.chunks; ++k, ++chunk) {
          if (a.verb == Verb::replace) {
            held(rank, chunk) = run.value;
          } else if (Fault wrong = add(rank, number, chunk, a.peer, run.value)) {
            return wrong;
          }
        }
    }
    return {};
  }

  Proof conclude() {
    Proof proof;
    Sums::Id shown = Sums::kNothing;
    for (Rank chunk = 0; chunk < p_.ranks; ++chunk) {
      Sums::Id first = Sums::kNothing;
      for (Rank rank = 0; rank < p_.ranks; ++rank) {
        if (!spec_.needs_at_end(rank, chunk)) continue;
        const Sums::Id value = held(rank, chunk);
        if ((proof.fault = check_end(rank, chunk, value))) return proof;
        if (first == Sums::kNothing) first = value;
        if (shown == Sums::kNothing) shown = value;
        proof.same_on_all_ranks = proof.same_on_all_ranks && value == first;
      }
    }
    if (shown != Sums::kNothing) proof.bracketing = sums_.bracketing(shown, kBracketingLimit);
    return proof;
  }

 private:
  Sums::Id& held(Rank rank, Rank chunk) {
    return held_[std::size_t(rank) * std::size_t(p_.ranks) + std::size_t(chunk)];
  }

  // Neighbouring chunks of equal value, so that a message with the whole vector is one entry, not
  // one a chunk.
  struct Run {
    Sums::Id value;
    Rank chunks;
  };

  std::vector<Run>& arrived(const End& receive) {
    auto& round = arrived_[std::size_t(receive.rank)];
    const auto position = std::size_t(receive.position);
    if (round.size() <= position) round.resize(position + 1);
    return round[position];
  }

  Fault add(Rank rank, Count round, Rank chunk, Rank peer, Sums::Id value) {
    Sums::Id& mine = held(rank, chunk);
    if (mine == Sums::kNothing)
      return fault(Fault::Kind::unheld, rank, round, chunk,
                   "adds to it from rank " + std::to_string(peer) + ", but holds no value of it");
    Rank shared = -1;
    mine = sums_.add(mine, value, shared);
    if (shared < 0) return {};
    return fault(Fault::Kind::doubled, rank, round, chunk,
                 "what it adds from rank " + std::to_string(peer) +
                     " would count the contribution of rank " + std::to_string(shared) + " twice");
  }

  Fault check_end(Rank rank, Rank chunk, Sums::Id value) {
    if (value == Sums::kNothing)
      return fault(Fault::Kind::missing, rank, 0, chunk, "holds no value of it");
    if (spec_.sums()) {
      const Rank lacking = sums_.lacks(value);
      if (lacking < 0) return {};
      return fault(Fault::Kind::missing, rank, 0, chunk,
                   "the contribution of rank " + std::to_string(lacking) + " is missing");
    }
    if (value == spec_.source(chunk)) return {};
    return fault(Fault::Kind::missing, rank, 0, chunk,
                 "holds " + sums_.bracketing(value, kBracketingLimit) +
                     " instead of the value of rank " + std::to_string(spec_.source(chunk)));
  }

  static Fault fault(Fault::Kind kind, Rank rank, Count round, Rank chunk,
                     const std::string& what) {
    const std::string when = round == 0 ? "at the end" : "round " + std::to_string(round);
    return {kind, rank, round, chunk,
            "rank " + std::to_string(rank) + ", " + when + ", chunk " + std::to_string(chunk) +
                ": " + what};
  }

  Problem p_;
  Spec spec_;
  Sums sums_;
  std::vector<Sums::Id> held_;                          // [rank][chunk]
  std::vector<std::vector<std::vector<Run>>> arrived_;  // [rank][position in its round]
};

}  // namespace

Proof verify(const Problem& problem, const Schedule& schedule) {
  check(problem);
  check_memory(problem.ranks);
  Verifier verifier(problem);
  const Walk walked = walk(problem, schedule, verifier);
  if (walked.fault) return {walked.fault, "", false};
  return verifier.conclude();
}

Proof verify(const Algorithm& algorithm, const Problem& problem, int segments) {
  Proof whole;
  bool first = true;
  for (const Lane& lane : lanes_of(algorithm, problem, segments)) {
    Proof proof = verify(lane.problem, schedule_of(algorithm, lane.problem));
    if (!proof) return proof;
    if (first) whole.bracketing = proof.bracketing;
    whole.same_on_all_ranks = whole.same_on_all_ranks && proof.same_on_all_ranks;
    first = false;
  }
  return whole;
}

}  // namespace arlab
