// Communicator: one rank's messages to the others, round by round. It knows no algorithm.
//
// Threads, MPI and emulated ranks implement it. HostExecutor runs algorithms over it; ranks on GPUs
// use it for control messages only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/groups.hpp"
#include "algorithms/program.hpp"
#include "algorithms/turn.hpp"
#include "collectives/clock.hpp"
#include "collectives/place.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// An action on real memory: what to send, or where the received elements are added or stored.
struct Transfer {
  ActionKind kind = ActionKind::send;
  Rank peer = 0;
  std::byte* data = nullptr;
  Count elements = 0;  ///< at least 1: empty messages are dropped earlier
  /// Of a replace: the caller adds the elements when the round is done. Emulated ranks charge the
  /// time.
  bool added_later = false;
};

/// Messages that one rank has sent, and their bytes, by receiver.
struct SentMessages {
  std::vector<Count> messages, bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Rank rank() const = 0;
  virtual Rank ranks() const = 0;

  /// Starts a round of one lane (0 to 4095 on every backend). The caller must not touch `round` and
  /// its memory until wait() returns the lane. Sends read the memory as it is now. Reductions apply
  /// in listed order, once no send of the round needs the memory.
  virtual void start(int lane, std::span<const Transfer> round, Operand operand) = 0;

  /// From now on, the lane's messages leave in this turn. Emulated ranks heed it; real messages of a pair
  /// leave in order by themselves.
  virtual void set_turn(int /*lane*/, Turn /*turn*/) {}

  /// Blocks until the round of any started lane is done, and returns that lane.
  virtual int wait() = 0;

  /// Runs a round of one lane from start to end, while no other lane is started. Faster than start()
  /// and wait() where a short message costs less than their lists.
  virtual void exchange(int lane, std::span<const Transfer> round, Operand operand);

  /// Returns a started lane whose round is done, as wait() does, or -1 without waiting. Throws
  /// Error(usage) if the backend cannot poll.
  virtual int poll();

  /// Cancels all started rounds, so that their memory is no longer read or written: for a rank that
  /// fails and frees it. The communicator is unusable afterwards.
  virtual void abandon() noexcept {}

  /// Throws what waiting for another rank would throw, if one is known to have failed: for a rank that
  /// waits for messages by other means. Any thread may call it.
  virtual void check_ranks() const {}

  /// Returns a number per rank that identifies its machine. All ranks call it together, and get the
  /// same. By default all ranks share one machine.
  virtual std::vector<Rank> machines() {
    return std::vector<Rank>(static_cast<std::size_t>(ranks()));
  }

  /// How messages travel where the backend has several ways; else empty.
  virtual std::string transport() const { return ""; }

  /// Returns memory for a vector, with zeros; where ranks share memory, it may be such that others read
  /// it without a copy. All ranks call it together with the same bytes, and free it in the same order.
  virtual std::shared_ptr<std::byte[]> allocate(std::size_t bytes) {
    return std::make_shared<std::byte[]>(bytes);
  }

  /// Where this rank shows its place in its program; null if nobody looks.
  virtual Place* place() { return nullptr; }
  /// The places of all ranks that can be seen, with those that are missing: after a wait has failed.
  virtual std::vector<SeenPlace> places() const { return {}; }

  /// The clock of this rank.
  virtual Clock& clock() { return machine_clock(); }

  /// For measurement: not part of any schedule.
  virtual void barrier() = 0;
  virtual double max(double value) = 0;  ///< over all ranks
  virtual Count sum(Count value) = 0;    ///< over all ranks

  /// The library's own allreduce, in place, as a baseline. Its name is empty if there is none.
  virtual std::string native_name() const { return ""; }
  /// Throws Error(usage) if there is none.
  virtual void native_allreduce(std::byte* data, Count elements, Operand operand);

  /// The library's own form of any collective; the name is empty if there is none for the problem.
  /// By default only allreduce has one.
  virtual std::string native_name_for(const Problem& problem) const;
  /// Runs it in place. Throws Error(usage) if there is none.
  virtual void native_collective(const Problem& problem, std::byte* data, Operand operand);
  /// Runs it out of place: `from` is only read. By default it starts with a copy.
  virtual void native_collective(const Problem& problem, const std::byte* from, std::byte* into,
                                 Operand operand);

  /// The algorithms of the library's own allreduce, by the library's names. All ranks call it
  /// together. Throws Error(environment) with a remedy if none can be chosen.
  virtual std::vector<std::string> native_algorithms();
  /// Returns what a row of that allreduce is called: by default the native name, a colon, and `spec`.
  virtual std::string native_label(const std::string& spec) const;
  /// From now on, the library's own allreduce runs this algorithm: a name of native_algorithms(),
  /// with settings if it has any ("segmented_ring:segment=64K"); empty: the library decides. All
  /// ranks call it together. Throws Error(usage) with all names for another one.
  virtual void use_native(const std::string& spec);
  /// What this rank has sent so far, with the messages of the library's collectives. Throws
  /// Error(environment) with a remedy if the library does not count them.
  virtual SentMessages sent_messages();
};

/// Returns the groups of ranks that share a machine; null if all ranks share one, or none do. All
/// ranks call it together.
std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator);

}  // namespace arlab::collectives
