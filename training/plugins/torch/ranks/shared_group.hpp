// SharedGroup: the collectives of a process group whose ranks map the same memory.
//
// Each begins with a step in which every rank shows its call: all ranks see all calls, and throw
// the same error if two differ, before anything is received. Short vectors travel in that step,
// longer ones in the steps after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "collectives/shm/step_collectives.hpp"
#include "training/plugins/torch/ranks/call.hpp"

namespace arlab::training {

class SharedGroup {
 public:
  using Memory = std::span<std::byte>;

  /// `names`: of the ranks, in errors; by default their numbers.
  SharedGroup(collectives::StepCollectives steps, std::vector<std::string> names);

  /// Begins an allreduce without waiting: shows the call. Returns false, and does nothing, if it
  /// would have to wait. The next call must be this allreduce.
  bool arrive(const Call& call, Memory data, collectives::Operand operand);
  /// Whether all others have come to what this rank has begun.
  bool all_here();

  void check(const Call& call);
  void allreduce(const Call& call, Memory data, collectives::Operand operand);
  /// The same of calls that have been compared.
  void allreduce(Memory data, collectives::Operand operand);
  void broadcast(const Call& call, Memory data);
  /// The vectors of other ranks than the root are scratch.
  void reduce(const Call& call, Memory data, collectives::Operand operand);
  /// `all` holds this rank's block, of equal ones.
  void all_gather(const Call& call, Memory all);
  /// Leaves the result of this rank's block in `all`, and scratch in the others.
  void reduce_scatter(const Call& call, Memory all, collectives::Operand operand);

  /// Takes part in the sums of the others, with zeros, until all ranks have joined. Returns the
  /// last one that did: the highest, if several came together.
  Rank join();

  /// How many collectives have begun.
  std::uint64_t number() const { return number_; }
  /// Of vectors, so far.
  std::size_t bytes_given() { return given_ + steps_.bytes_given(); }

 private:
  void show(const Call& call, std::span<const std::byte> along);
  void meet(const Call& call, std::span<const std::byte> along);
  void leave();
  const std::byte* shown(Rank rank);  // the call of a rank, and what travels with it
  Call call_of(Rank rank);
  void compare();
  void combine_shown(Memory data, std::size_t skipped, collectives::Operand operand);
  std::span<const std::byte> contribution(Memory data, collectives::Operand operand);
  void add_zeros(const Call& theirs);

  collectives::StepCollectives steps_;
  std::vector<std::string> names_;
  std::uint64_t step_ = 0;  // in which the calls are shown: 0 if this rank has not begun one
  std::uint64_t number_ = 0;
  std::size_t given_ = 0;  // with calls
  std::vector<bool> joined_;
  std::vector<std::byte> work_;
};

}  // namespace arlab::training
