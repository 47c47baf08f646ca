// RepeatedRounds: skips rounds that repeat the ones before them.
//
// Ranks that share links fall into step: each starts a round as long after its last one as all the
// others do, and the same messages are on their way. If the simulation is in the state in which it
// was one round before, apart from the time, it returns to it as often as all programs repeat that
// round. So these rounds are taken from the programs, and only counted.
//
// A state is compared at a time at which nothing more happens, when all that will is decided by the
// messages on their way. It is exact: times in whole picoseconds, bytes and rates to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
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

  explicit RepeatedRounds(Actors& actors) : actors_(actors), rounds_(actors.size()) {}

  /// Advances the actor to its next round, as Actors::next() does.
  bool next(Index actor);
  /// Returns whether observe() is to be called as soon as nothing more happens at the current time.
  bool is_due() const { return is_due_; }
  /// Compares the state with that of one round before, and skips the rounds that repeat it, up to
  /// the one that ends after `latest`. Returns nothing if there are none.
  std::optional<Skip> observe(Time now, std::vector<Flight> flights, Time latest);

 private:
  struct Message {
    ActionKind kind = ActionKind::send;
    Rank peer = 0;
    Bytes bytes = 0;
    bool taken = false;
    bool operator==(const Message&) const = default;
  };
  struct State {
    Time now{};
    std::vector<Flight> flights;
    std::vector<Index> rounds, depth, next_depth, left;  // of each actor
    std::vector<Time> done;                              // of each actor, after `now`
    std::vector<std::size_t> first;                      // of each actor's messages
    std::vector<Message> messages;                       // of their current rounds
  };
  enum class Ahead : std::uint8_t { no, round, end };  // what the actor's program has reached

  Message message(Index actor, const Action& action) const {
    return {action.kind, action.peer, actors_.bytes_of(actor, action), false};
  }
  std::optional<State> state(Time now, std::vector<Flight> flights) const;
  static bool repeats(State& before, State& now);
  std::optional<Skip> skip(const State& before, const State& now, Time latest);
  bool advance_all(const State& state);
  bool is_repeated(Index actor, const State& state) const;
  void keep_rounds();

  Actors& actors_;
  std::vector<Index> rounds_;  // that each actor has started
  std::vector<Ahead> ahead_;   // of each actor, after rounds were skipped
  std::vector<Action> kept_;   // the rounds that actors were in then
  std::optional<State> before_;
  bool is_due_ = false;
};

}  // namespace arlab::simulator
