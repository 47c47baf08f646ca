// SplitRound: one rank's current round of one lane, where ranks are on several machines.
//
// Messages to ranks of this machine pass through shared memory, the others through MPI. The two
// parts know nothing of each other: where one receives what the other sends or receives, too, all
// messages of the round land in scratch, and are applied in listed order at the end.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/shm/shared_round.hpp"

namespace arlab::collectives {

class SplitRound {
 public:
  /// Starts both parts. The previous round must be done. `between`: the communicator that does the
  /// other part, under the same lane.
  void start(SharedChannels& channels, Communicator& between, int lane,
             std::span<const Transfer> round, Operand operand);

  /// Advances the part through shared memory. Returns whether anything moved.
  bool progress() { return near_.progress(); }
  bool stage_one() { return near_.stage_one(); }
  /// The part through `between` is done.
  void far_part_done() { far_open_ = false; }
  bool has_far_part() const { return far_open_; }

  bool done() const { return near_.done() && !far_open_; }
  /// Applies what has landed in scratch. The round is done.
  void finish();

  std::string awaited() const { return near_.done() ? "other machines" : near_.awaited(); }
  std::size_t bytes_in_progress() const;
  void abandon() noexcept;

 private:
  struct Staged {
    Transfer transfer;
    std::size_t at;  // in scratch
  };
  void split(const SharedChannels& channels, std::span<const Transfer> round);
  bool parts_meet() const;
  void stage(const SharedChannels& channels, std::span<const Transfer> round);
  std::size_t bytes_of(const Transfer& t) const {
    return static_cast<std::size_t>(t.elements) * size_of(operand_.dtype);
  }

  SharedRound near_;
  bool far_open_ = false;
  Operand operand_;
  std::vector<Transfer> near_part_, far_part_;
  std::vector<Staged> staged_;
  std::vector<std::byte> scratch_;
};

}  // namespace arlab::collectives
