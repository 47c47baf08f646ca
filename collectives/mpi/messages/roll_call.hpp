// RollCall: who waits, when a collective takes too long. Those who do not answer are missing.
//
// A rank that computes forever looks to the others like one that was stopped or never started. What
// tells them apart from the waiting ones is that these answer, again and again as long as they
// wait: what was answered earlier says nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class RollCall {
 public:
  /// All ranks of the communicator, which is one over MPI, call it together.
  explicit RollCall(const Communicator& group);
  ~RollCall();
  RollCall(const RollCall&) = delete;

  /// Tells the others that this rank waits.
  void answer();

  /// Tells the others that this rank leaves the group after so many collectives.
  void leave(std::uint64_t collectives);

  /// Takes what has arrived. Returns how often each rank has answered so far; this one's are not
  /// counted.
  const std::vector<unsigned>& answers();
  /// The same: returns after how many collectives each rank has left; kStays for those that have
  /// not.
  const std::vector<std::uint64_t>& left();
  /// The same: returns the first rank that has left after fewer collectives; -1 if none has.
  Rank left_before(std::uint64_t collectives);
  static constexpr std::uint64_t kStays = std::numeric_limits<std::uint64_t>::max();

 private:
  struct Link;
  void tell(int tag, const void* body, int bytes);
  bool take(int tag, void* body, int bytes, Rank& from);

  std::unique_ptr<Link> link_;
  std::vector<unsigned> answers_;
  std::vector<std::uint64_t> left_;
  std::uint64_t leaves_ = 0;  // what is sent
};

}  // namespace arlab::collectives
