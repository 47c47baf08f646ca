// CompactRounds: the rounds of all ranks' programs as steps of 8 bytes, a window at a time.
//
// A coroutine's frame takes 136 to 320 bytes. A million of them, resumed one after another in every
// round, would pass through memory in every round. So a rank's program is run many rounds ahead
// while its frame is in the cache, and a program that ends within its window frees its frame at
// once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/round_limit.hpp"
#include "simulator/large_array.hpp"
#include "simulator/sweep/chunk_sizes.hpp"

namespace arlab::simulator {

struct Step {
  enum Kind : std::uint32_t {  // bits: sends, receives, reduces
    idle = 0,                  // rounds without messages; `peer` is their number
    send = 1,
    replace = 2,
    reduce = 6,
    send_and_replace = send | replace,  // one message each way, of equal sizes
    send_and_reduce = send | reduce,
  };
  Rank peer;
  Kind kind : 3;
  std::uint32_t last : 1;   ///< of its round
  std::uint32_t size : 28;  ///< index into sizes()

  bool sends() const { return (kind & 1) != 0; }
  bool receives() const { return (kind & 2) != 0; }
  bool reduces() const { return (kind & 4) != 0; }
};
static_assert(sizeof(Step) == 8);

class CompactRounds {
 public:
  static constexpr std::size_t kWindow = 24;  ///< steps of a rank that are kept

  /// problem: of the only lane. With a symmetry, only the ranks that represent a class have rounds.
  /// They are numbered by class.
  CompactRounds(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                std::optional<RankSymmetry> symmetry = {});

  /// Returns whether the root's first round fits the window. Of algorithms whose root serves all
  /// others it does not, which is known before anything is prepared for a million ranks.
  static bool root_fits(const Algorithm& algorithm, const Problem& problem);

  Rank ranks() const { return symmetry_ ? symmetry_->classes() : problem_.ranks; }
  /// Returns the number of ranks that each stands for.
  Count weight() const { return problem_.ranks / ranks(); }
  bool has_classes() const { return symmetry_.has_value(); }
  /// Returns the number of the rank that stands for `rank`.
  Rank stand_in(Rank rank) const { return symmetry_ ? symmetry_->class_of(rank) : rank; }
  /// Returns what the rank that stands for `viewer` calls the image of the rank of this number.
  Rank name_for(Rank viewer, Rank number) const {
    return symmetry_ ? symmetry_->seen_from(viewer, named(number)) : number;
  }

  /// Returns the steps of the rank's next round; none after its last one. Valid until the next call
  /// for that rank. A round that does not fit the window ends the program: see refused().
  std::span<const Step> next(Rank rank) {
    Cursor& cursor = cursors_[index(rank)];
    if (cursor.next == cursor.end && !refill(rank)) return {};
    const Step* const first = window(rank) + cursor.next;
    const Step* last = first;
    while (!last->last) ++last;
    cursor.next = static_cast<std::uint8_t>(cursor.next + (last - first) + 1);
    return {first, last + 1};
  }

  /// Loads the steps that next() will return.
  [[gnu::always_inline]] void prefetch(Rank rank) const {
    __builtin_prefetch(steps_.data() + index(rank) * kWindow + cursors_[index(rank)].next);
  }

  /// Returns the first step that is kept of the rank.
  Step* window(Rank rank) { return steps_.data() + index(rank) * kWindow; }

  /// Returns whether a round was too long, a peer does not exist, or sizes were too many.
  bool refused() const { return refused_; }
  const std::vector<Bytes>& sizes() const { return sizes_.bytes(); }
  Bytes size(const Step& step) const { return sizes()[step.size]; }
  /// Throws Error(check) if `depth` is beyond the limit of the algorithm's rounds.
  void check(Rank rank, Count depth) const { limit_.check(rank, depth); }

 private:
  struct Cursor {
    std::uint8_t next = 0, end = 0;  // in the window
    bool begun = false, ended = false;
    bool held = false;  // the program's round is not in the window yet
  };

  Rank named(Rank number) const { return symmetry_ ? symmetry_->representative(number) : number; }
  bool refill(Rank rank);
  bool append(Step* steps, Rank me, Cursor& cursor, Round round);
  bool refuse() {
    refused_ = true;
    return false;
  }

  const Algorithm& algorithm_;
  Problem problem_;
  std::optional<RankSymmetry> symmetry_;
  RoundLimit limit_;
  LargeArray<Step> steps_;         // a window per rank
  std::vector<Cursor> cursors_;    // of each rank
  std::vector<Program> programs_;  // of each rank; empty before its begin and after its end
  ChunkSizes sizes_;
  bool refused_ = false;
};

}  // namespace arlab::simulator
