// HostPlan: one rank's part of a collective on host memory, computed once and run any number of
// times.
//
// execute() resumes the programs of all lanes and makes their rounds anew in each call, which costs
// a short message a third of its time. A plan keeps the rounds, as positions in the vector, and its
// scratch memory. Run out of place, it does not start with a copy: what a rank sends before it
// changes is sent from the source, what is first reduced is copied while the round's messages are
// in flight, and what arrives complete is never copied.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

class HostPlan {
 public:
  /// Throws Error(usage) if the algorithm does not support the problem. `me` is one of its ranks.
  HostPlan(const Algorithm& algorithm, const Problem& problem, Rank me, Operand operand,
           int segments = 1);

  /// Runs the plan in place, as execute() does. Every rank of the communicator runs its plan of the
  /// same algorithm, problem and segments. Throws Error(usage) if the communicator or the data has
  /// another size than the plan.
  Cost run(Communicator& communicator, std::span<std::byte> data, int first_lane = 0);

  /// Runs the plan from one vector into another of the same size that does not overlap. Only what
  /// the collective defines is written to `into`.
  Cost run(Communicator& communicator, std::span<const std::byte> from, std::span<std::byte> into,
           int first_lane = 0);

  /// The least that this rank reads and writes in memory, in bytes: what it adds is read, read and
  /// written; what it stores is read and written.
  Bytes memory_traffic() const { return memory_traffic_; }

 private:
  // A range of a message, and whether it still lies in the source when run out of place.
  struct Piece {
    ElementRange range;
    bool in_source = false;
  };
  struct Action {
    ActionKind kind = ActionKind::send;
    Rank peer = 0;
    Count elements = 0;
    std::uint32_t first_piece = 0, pieces = 0;
    bool through_scratch = false;  // packed before it is sent, or applied after the round
  };
  // Ends of the round's parts of the lane's lists; they begin where those of the last round end.
  struct Ends {
    std::uint32_t actions = 0, copies_before = 0, copies_after = 0;
    std::uint32_t number = 0;  // of the round in its program, which may have empty ones
  };
  struct Lane {
    std::vector<Piece> pieces;
    std::vector<Action> actions;
    std::vector<ElementRange> copies_before, copies_after;  // out of place: source to target
    std::vector<Ends> rounds;
    std::vector<ElementRange> last_copies, divided;
    Turn turn{};
    // Of a run:
    std::size_t round = 0;
    std::vector<std::byte> scratch;
    std::vector<Transfer> transfers;
  };
  struct Memory {
    const std::byte* source;  // null in place
    std::byte* data;
  };

  class Recorder;
  Cost run(Communicator& communicator, const Memory& memory, int first_lane);
  void run_lane(Communicator& communicator, const Memory& memory, int number, const Inside& inside);
  void run_lanes(Communicator& communicator, const Memory& memory, int first_lane,
                 const Inside& inside);
  std::string round_text() const;
  bool prepare_next(Lane& lane, const Memory& memory);
  void copy_received(const Lane& lane, const Memory& memory) const;
  static Ends begin_of_round(const Lane& lane);
  void finish_round(Lane& lane, const Memory& memory) const;
  void check_run(const Communicator& communicator, std::size_t bytes) const;

  std::string description_;
  Algorithm algorithm_;  // and the segments, to explain a wait that fails
  int segments_ = 1;
  Problem problem_;
  Operand operand_;
  std::vector<Lane> lanes_;
  Cost sent_;
  Bytes memory_traffic_ = 0;
};

}  // namespace arlab::collectives
