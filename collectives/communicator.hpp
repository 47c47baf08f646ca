// Communicator: one rank's end of a backend. It knows how to run a round, and no algorithm.
//
// The one virtual seam of real execution: threads, MPI, CUDA and NCCL each implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/groups.hpp"
#include "algorithms/program.hpp"
#include "collectives/clock.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// An action on real memory: what to send, or where the received elements are added or stored.
struct Transfer {
  ActionKind kind = ActionKind::send;
  Rank peer = 0;
  std::byte* data = nullptr;
  Count elements = 0;  ///< at least 1: empty messages are dropped before
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Rank rank() const = 0;
  virtual Rank ranks() const = 0;

  /// Starts a round of one lane. `round` and the memory it names stay untouched until wait()
  /// returns the lane. Sends read the memory as it is now; reductions apply in listed order once no
  /// send of the round needs it.
  virtual void start(int lane, std::span<const Transfer> round, Operand operand) = 0;

  /// Blocks until the round of some started lane is done, and returns that lane.
  virtual int wait() = 0;

  /// A started lane whose round is done, as wait() returns it, or -1 at once if there is none now.
  /// Throws Error(usage) where the backend cannot tell.
  virtual int poll();

  /// Gives up all started rounds, so that nobody reads or writes their memory any more: for a rank
  /// that fails and frees it. The communicator is of no use afterwards.
  virtual void abandon() noexcept {}

  /// Each rank's machine, as numbers that tell machines apart. All ranks call it together, and get
  /// the same; by default all are on one.
  virtual std::vector<Rank> machines() {
    return std::vector<Rank>(static_cast<std::size_t>(ranks()));
  }

  /// The time that this rank lives in.
  virtual Clock& clock() { return machine_clock(); }

  /// For whoever measures: not part of any schedule.
  virtual void barrier() = 0;
  virtual double max(double value) = 0;  ///< over all ranks
  virtual Count sum(Count value) = 0;    ///< over all ranks

  /// The library's own allreduce, in place, as a baseline; its name is empty where the backend has
  /// none.
  virtual std::string native_name() const { return ""; }
  /// Throws Error(usage) where there is none.
  virtual void native_allreduce(std::byte* data, Count elements, Operand operand);
};

/// The ranks that share a machine; null where that tells nothing: all do, or none. All ranks call
/// it together.
std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator);

}  // namespace arlab::collectives
