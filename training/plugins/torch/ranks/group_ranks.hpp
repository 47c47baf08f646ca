// GroupRanks: the ranks of one process group of PyTorch, and their collectives on host memory.
//
// Each collective but an allreduce without a call first makes sure that all ranks have called the
// same, and throws Error(usage) on all of them otherwise. `call.root` is the root.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/groups.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/host/plan_cache.hpp"
#include "collectives/plugins/size_rules.hpp"
#include "training/plugins/torch/ranks/agreement.hpp"
#include "training/plugins/torch/ranks/shared_group.hpp"

namespace arlab::training {

/// Only the group's own thread uses its members.
class GroupRanks {
 public:
  using Memory = std::span<std::byte>;

  /// `rules`: the algorithm of an allreduce by the bytes of its vector, and what goes through
  /// shared memory, if there is any. `names`: of the ranks, in errors; by default their numbers.
  GroupRanks(std::unique_ptr<collectives::Communicator> its, collectives::SizeRules rules,
             std::vector<std::string> names = {}, std::unique_ptr<SharedGroup> shared = {});

  Problem problem(Collective collective, Count elements, Rank root = 0) const;

  /// Reduces a vector of the operand's type in place, on all ranks: by the rules' algorithm, or by
  /// the library's own where they leave it to the library or the algorithm does not support these
  /// ranks.
  void allreduce(Memory data, collectives::Operand operand);
  void allreduce(const Call& call, Memory data, collectives::Operand operand);

  /// Whether vectors of that many bytes go through shared memory. Any thread may ask.
  bool shares(std::size_t bytes) const {
    return shared_ &&
           rule_for(rules_, static_cast<Bytes>(bytes)).shared != collectives::SharedUse::never;
  }
  /// Whether calls are compared in shared memory.
  bool shares_calls() const { return shared_ != nullptr; }
  /// Begins an allreduce that shares() without waiting, and returns whether all others have come to
  /// it within some looks. If not, the next call must be this allreduce.
  bool arrive(const Call& call, Memory data, collectives::Operand operand, int looks);
  /// Takes part in the sums of the others until all ranks have joined, as SharedGroup does.
  Rank join();

  /// How many collectives have begun: the same on all ranks in the same collective.
  std::uint64_t number() const { return shared_ ? shared_->number() : agreement_.number(); }

  void check(const Call& call);
  void broadcast(const Call& call, Memory data);
  /// The vectors of other ranks than the root are scratch.
  void reduce(const Call& call, Memory data, collectives::Operand operand);
  /// `all` holds this rank's block, of equal ones.
  void all_gather(const Call& call, Memory all);
  /// Leaves the sum of this rank's block in `all`, and scratch in the others.
  void reduce_scatter(const Call& call, Memory all, collectives::Operand operand);
  /// `all` is the root's, and `mine` this rank's block of it.
  void gather(const Call& call, Memory mine, Memory all);
  void scatter(const Call& call, Memory all, Memory mine);
  /// Part r of `from` goes to rank r, and what it sends here into part r of `into`. The sizes of
  /// both are compared first.
  void all_to_all(const Call& call, std::span<const Memory> from, std::span<const Memory> into);

  /// Returns the rules' algorithm for codes of that many bytes, or the ring where theirs is the
  /// library's own, does not support these ranks, or adds in another order on each rank: all ranks
  /// decode the same.
  const Algorithm& code_algorithm(Bytes bytes) const;

  std::unique_ptr<collectives::Communicator> link;
  collectives::CountingCommunicator communicator;  ///< over `link`

 private:
  const Algorithm* algorithm(Memory data,
                             collectives::Operand operand) const;  // null: the library's
  Memory block(Memory all, Rank rank) const;
  Memory zeros(std::size_t bytes);
  void exchange(std::span<const Memory> from, std::span<const Memory> into, const char* what);
  void agree(const Call& call, Memory data, collectives::Operand operand);
  Call named(const Call& call, std::string_view way);
  bool shares_blocks(Memory all, collectives::Operand operand) const;
  template <class Use>
  void in_shared(Use use);

  collectives::SizeRules rules_;
  std::shared_ptr<const Groups> machines_;  // null if all ranks share a machine, or none do
  collectives::PlanCache plans_;
  Agreement agreement_;
  std::unique_ptr<SharedGroup> shared_;
  const Algorithm* butterfly_;  // that of the agreement
  std::string_view named_;      // the last allreduce's algorithm, and what must be equal about it
  std::uint64_t named_detail_ = 0;
  std::vector<std::byte> scratch_;
  std::vector<Count> sizes_;
};

}  // namespace arlab::training
