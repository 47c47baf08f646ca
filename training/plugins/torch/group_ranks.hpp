// GroupRanks: the ranks of one process group of PyTorch, and how they sum a vector.
#pragma once

#include <memory>
#include <span>

#include "algorithms/groups.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/host/plan_cache.hpp"
#include "collectives/plugins/size_rules.hpp"

namespace arlab::training {

/// Only the engine's thread uses its members.
struct GroupRanks {
  /// `its_rules`: the algorithm of an allreduce by the bytes of its vector.
  GroupRanks(std::unique_ptr<collectives::Communicator> its, collectives::SizeRules its_rules);

  Problem problem(Collective collective, Count elements, Rank root = 0) const;

  /// Reduces a vector of the operand's type in place, on all ranks: by the rules' algorithm, or by the
  /// library's own where they leave it to the library or the algorithm does not support these ranks.
  void allreduce(std::span<std::byte> data, collectives::Operand operand);

  /// Returns the rules' algorithm for codes of that many bytes, or the ring where theirs is the library's
  /// own, does not support these ranks, or adds in another order on each rank: all ranks decode the same.
  const Algorithm& code_algorithm(Bytes bytes) const;

  std::unique_ptr<collectives::Communicator> link;
  collectives::CountingCommunicator communicator;  ///< over `link`
  collectives::SizeRules rules;
  std::shared_ptr<const Groups> machines;  ///< null if all ranks share a machine, or none do
  collectives::PlanCache plans;
};

}  // namespace arlab::training
