// RepeatedRounds: skips rounds that repeat the ones before them.
//
// Ranks that share links fall into step: each starts a round as long after its last one as all the
// others do, and the same messages are on their way. If the simulation is in the state in which it
// was some rounds before, apart from the time, it returns to it as often as all programs repeat
// these rounds. So they are taken from the programs, and only counted. The period is one round
// where all ranks are alike, and more where a delay travels around them: in a ring, the time that
// the longest hop adds comes back to a rank after all hops of one kind.
//
// A state is compared at a time at which nothing more happens, when all that will is decided by the
// messages on their way. It is exact: times in whole picoseconds, bytes and rates to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simulator/engine/round_source.hpp"

namespace arlab::simulator {

class RepeatedRounds {
 public:
  using Index = Actors::Index;

  /// A message on its way. Times are relative to that of the state.
  struct Flight {
    Index receiver = 0;
    Rank sender = 0;
    Index depth = 0;
    Bytes bytes = 0;
    Time change{}, since{};
    double left = 0, rate = 0;
    bool operator==(const Flight&) const = default;
    /// For sorting: libc++ 16 does not order durations.
    auto key() const {
      return std::tuple(receiver, sender, depth, bytes, change.count(), since.count(), left, rate);
    }
  };

  /// What was skipped: the rounds of each actor, their time, and by how much the chain of rounds up
  /// to each actor is longer.
  struct Skip {
    Count rounds = 0;
    Time time{};
    Index depth = 0;
  };

  /// `reductions_are_free`: a message takes as long whether it is added or overwrites.
  RepeatedRounds(Actors& actors, bool reductions_are_free)
      : actors_(actors),
        reductions_are_free_(reductions_are_free),
        rounds_(actors.size()),
        since_(actors.size()),
        signatures_(actors.size()),
        ahead_(actors.size()),
        kept_rounds_(actors.size()) {}

  /// Advances the actor to its next round, as Actors::next() does.
  bool next(Index actor);
  /// Returns the actor's round.
  Round round(Index actor) const {
    return is_ahead(actor) ? kept_rounds_[actor] : actors_.round(actor);
  }
  /// Returns whether observe() is to be called as soon as nothing more happens at the current time.
  bool is_due() const { return is_due_; }
  /// Compares the state with an earlier one, and skips the rounds that repeat those since then, up
  /// to the one that ends after `latest`. Returns nothing if there are none.
  std::optional<Skip> observe(Time now, std::vector<Flight> flights, Time latest);

 private:
  struct Message {
    ActionKind kind = ActionKind::send;
    Rank peer = 0;
    Bytes bytes = 0;
    bool taken = false;
    bool operator==(const Message&) const = default;
  };
  /// Apart from `at`, relative to it: equal where all that follows is.
  struct State {
    struct At {
      Time now{};
      Index round = 0, depth = 0;  // of the first actor
    };
    At at;
    std::vector<Flight> flights;                         // in order
    std::vector<Index> rounds, depth, next_depth, left;  // of each actor
    std::vector<Time> done;                              // of each actor
    std::vector<std::size_t> first;                      // of each actor's messages
    std::vector<Message> messages;                       // of their current rounds
    bool equals(const State& other) const;
    std::uint64_t hash() const;
  };
  /// A program that has been asked for more rounds than its actor has begun.
  struct Ahead {
    Index same = 0;  // rounds that repeat the actor's, before the one below
    enum class Then : std::uint8_t { current, round, end } then = Then::current;
  };

  bool is_ahead(Index actor) const { return ahead_[actor].then != Ahead::Then::current; }
  Message message(Index actor, const Action& action) const;
  void note_round(Index actor);
  std::optional<State> state(Time now, std::vector<Flight> flights) const;
  void expect(State state);
  std::optional<Skip> skip(const State& before, const State& now, Time latest);
  void keep_rounds();
  void look_ahead(Index actor);
  bool is_repeated(Index actor) const;

  Actors& actors_;
  bool reductions_are_free_;
  std::vector<Index> rounds_;              // that each actor has started
  std::vector<Index> since_;               // the first of those that equal its current one
  std::vector<std::uint64_t> signatures_;  // of its current one
  std::vector<Ahead> ahead_;               // of each actor's program
  std::vector<Action> kept_;               // the rounds that actors were in then
  std::vector<Round> kept_rounds_;         // of each actor
  std::optional<State> before_;            // that may return
  Index due_ = 0;                          // when it may: a round of the first actor
  std::unordered_map<std::uint64_t, Index> seen_;  // the round of each state's hash
  bool is_due_ = false;
};

}  // namespace arlab::simulator
