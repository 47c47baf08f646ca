// Communicator: one rank's messages to the others, round by round. It knows no algorithm.
//
// Threads, MPI and emulated ranks implement it. HostExecutor runs algorithms over it; ranks on GPUs
// use it for control messages only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/groups.hpp"
#include "algorithms/program.hpp"
#include "algorithms/turn.hpp"
#include "collectives/baseline.hpp"
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

/// What a backend offers to a rank besides messages. What is empty or null it does not have.
struct Services {
  std::string transport = {};    ///< how messages travel, where the backend has several ways
  Clock* clock = nullptr;        ///< of this rank, if it is not the machine's
  Place* place = nullptr;        ///< where this rank shows its place in its program
  Baseline* baseline = nullptr;  ///< the own collectives of the library
  /// Returns the places of all ranks that can be seen, with those that are missing: after a wait
  /// has failed.
  std::function<std::vector<SeenPlace>()> places = {};
  /// Throws what waiting for another rank would throw, if one is known to have failed: for a rank
  /// that waits for messages by other means. Any thread may call it.
  std::function<void()> check_ranks = {};
  /// Returns memory for a vector, with zeros, such that other ranks read it without a copy. All
  /// ranks call it together with the same bytes, and free it in the same order.
  std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)> allocate = {};
  /// From now on, the lane's messages leave in this turn. Real messages of a pair leave in order by
  /// themselves.
  std::function<void(int lane, Turn turn)> set_turn = {};
  /// Returns what this rank has sent so far, with the messages of the library's collectives. Throws
  /// Error(environment) with a remedy if the library does not count them.
  std::function<SentMessages()> sent_messages = {};
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Rank rank() const { return rank_; }
  Rank ranks() const { return ranks_; }

  /// Starts a round of one lane (0 to 4095 on every backend). The caller must not touch `round` and
  /// its memory until wait() returns the lane. Sends read the memory as it is now. Reductions apply
  /// in listed order, once no send of the round needs the memory.
  virtual void start(int lane, std::span<const Transfer> round, Operand operand) = 0;

  /// Blocks until the round of any started lane is done, and returns that lane.
  virtual int wait() = 0;

  /// Runs a round of one lane from start to end, while no other lane is started. Faster than
  /// start() and wait() where a short message costs less than their lists.
  virtual void exchange(int lane, std::span<const Transfer> round, Operand operand);

  /// Returns a started lane whose round is done, as wait() does, or -1 without waiting. Throws
  /// Error(usage) if the backend cannot poll.
  virtual int poll();

  /// Cancels all started rounds, so that their memory is no longer written, and, but for processes
  /// that read a message where it lies, no longer read: for a rank that fails and frees it. The
  /// communicator is unusable afterwards.
  virtual void abandon() noexcept {}

  /// Returns a number per rank that identifies its machine. All ranks call it together, and get the
  /// same. By default all ranks share one machine.
  virtual std::vector<Rank> machines();

  /// For measurement: not part of any schedule.
  virtual void barrier() = 0;
  virtual double max(double value) = 0;  ///< over all ranks
  virtual Count sum(Count value) = 0;    ///< over all ranks

  // What the backend offers besides, see Services.
  const Services& services() const { return services_; }
  const std::string& transport() const { return services_.transport; }
  Clock& clock() const { return services_.clock ? *services_.clock : machine_clock(); }
  Place* place() const { return services_.place; }
  Baseline& baseline() const { return services_.baseline ? *services_.baseline : no_baseline(); }
  std::vector<SeenPlace> places() const;
  void check_ranks() const;
  void set_turn(int lane, Turn turn);
  std::shared_ptr<std::byte[]> allocate(std::size_t bytes);
  SentMessages sent_messages();
  /// The library's own allreduce, in place. Throws Error(usage) if there is none.
  void native_allreduce(std::byte* data, Count elements, Operand operand);

 protected:
  Communicator(Rank rank, Rank ranks, Services services = {})
      : services_(std::move(services)), rank_(rank), ranks_(ranks) {}
  Services services_;

 private:
  Rank rank_, ranks_;
};

/// Returns the groups of ranks that share a machine; null if all ranks share one, or none do. All
/// ranks call it together.
std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator);

}  // namespace arlab::collectives
