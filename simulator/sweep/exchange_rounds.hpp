// ExchangeRounds: the rounds of all ranks, of which each sends one message and receives one
// message.
//
// A table has one row per round and one column per rank. Ring, butterfly, and halving algorithms on
// powers of two have only such rounds. A program is run up to kWindow rounds ahead while its frame
// is in the cache. What all ranks of a round share is kept once: how far peers are apart, and
// sizes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/round_limit.hpp"
#include "simulator/large_array.hpp"
#include "simulator/sweep/chunk_sizes.hpp"
#include "simulator/sweep/peers.hpp"

namespace arlab::simulator {

class ExchangeRounds {
 public:
  static constexpr int kWindow = 24;  ///< rounds of a rank that are kept

  /// problem: of the only lane. With a symmetry, ranks are classes, and have the rounds of the
  /// ranks that represent them.
  ExchangeRounds(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                 std::optional<RankSymmetry> symmetry = {});

  /// Runs all programs up to kWindow rounds further. Returns the number of these rounds, 0 after
  /// the last one; nothing if a round has other messages, or if ranks differ in their number of
  /// rounds.
  std::optional<int> advance();

  struct Row {
    Peers peers;
    const std::uint32_t* sent;  // sizes by rank; null if all ranks send and receive as much
    const std::uint32_t* received;
    std::uint32_t all_sent, all_received;  // sizes of rank 0
    bool reduces;
    std::uint32_t reach;  // no message leaves aligned groups of a power of two above this

    std::uint32_t sent_by(Rank rank) const { return sent ? sent[rank] : all_sent; }
    std::uint32_t received_by(Rank rank) const { return received ? received[rank] : all_received; }
  };
  /// Returns the row of a round of the latest advance().
  Row row(int round) const;

  /// Advances to the end, and calls pass(rounds) for the rows of each window. Returns the number of
  /// rounds; nothing where advance() does, or if `pass` returns false.
  template <class Pass>
  std::optional<Count> through(Pass pass) {
    for (Count rounds = 0;;) {
      const std::optional<int> more = advance();
      if (!more) return {};
      if (*more == 0) return rounds;
      if (!pass(*more)) return {};
      rounds += *more;
    }
  }

  Rank ranks() const { return symmetry_ ? symmetry_->classes() : problem_.ranks; }
  /// Returns the number of ranks that each stands for.
  Count weight() const { return problem_.ranks / ranks(); }
  const std::vector<Bytes>& sizes() const { return sizes_.bytes(); }
  /// Returns whether a message was empty, so that it is not sent.
  bool has_empty() const { return sizes_.has_empty(); }

 private:
  struct Shared {  // by all ranks of a round
    std::uint32_t sent = 0, received = 0;
    bool reduces = false, flips = false, shifts = false;  // neither: peers are in the tables
    bool mutual = true;                                   // all sources are the targets
    Rank by = 0;
    std::uint32_t reach = 0;
  };
  template <class T>
  struct Table {
    void allocate(Rank ranks);
    T* row(int round) { return cells.data() + static_cast<std::size_t>(round) * stride; }
    const T* row(int round) const {
      return cells.data() + static_cast<std::size_t>(round) * stride;
    }
    std::size_t stride = 0;
    LargeArray<T> cells;
  };

  bool run(Rank rank, Program& program);
  bool add(Rank rank, int round, const Action& out, const Action& in);
  bool end(Rank rank, int rounds);
  bool is_pattern(Shared& shared, Rank rank, Rank target, Rank source);
  bool classes_match() const;
  void keep_peers(Rank rank, int round, Rank target, Rank source);
  void keep_sizes(Rank rank, int round);
  Peers peers(int round) const;

  const Algorithm& algorithm_;
  Problem problem_;
  std::optional<RankSymmetry> symmetry_;
  RoundLimit limit_;
  std::vector<Program> programs_;  // of each rank; empty if all end within the first window
  bool begun_ = false;
  int rounds_ = 0;    // in the window
  Count before_ = 0;  // rounds before the window
  std::array<Shared, kWindow> shared_;
  Table<Rank> targets_, sources_;  // of rounds without a pattern
  struct Named {
    Rank target = 0, source = 0;
  };
  std::vector<Named> named_;  // with a symmetry: the peers of each class, round by round
  Table<std::uint32_t> sent_, received_;  // empty while all ranks have the same sizes
  bool has_sizes_ = false;                // in this window
  ChunkSizes sizes_;
};

}  // namespace arlab::simulator
