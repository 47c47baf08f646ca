#include "training/plugins/torch/group_ranks.hpp"

#include <utility>

#include "algorithms/verify/verify.hpp"

namespace arlab::training {

using collectives::Operand;

GroupRanks::GroupRanks(std::unique_ptr<collectives::Communicator> its,
                       collectives::SizeRules its_rules)
    : link(std::move(its)),
      communicator(*link),
      rules(std::move(its_rules)),
      machines(groups_by_machine(communicator)),
      plans(communicator.rank()) {}

Problem GroupRanks::problem(Collective collective, Count elements, Rank root) const {
  return {.collective = collective,
          .ranks = communicator.ranks(),
          .elements = elements,
          .root = root,
          .groups = machines.get()};
}

void GroupRanks::allreduce(std::span<std::byte> data, Operand operand) {
  const auto bytes = static_cast<Bytes>(data.size());
  const Problem its =
      problem(Collective::allreduce, bytes / static_cast<Bytes>(size_of(operand.dtype)));
  const Algorithm* const algorithm = chosen(rules, bytes);
  if (algorithm && unsupported(*algorithm, its).empty())
    plans.get(*algorithm, its, operand).run(communicator, data);
  else
    communicator.native_allreduce(data.data(), its.elements, operand);
}

const Algorithm& GroupRanks::code_algorithm(Bytes bytes) const {
  const Algorithm* const algorithm = chosen(rules, bytes);
  const Problem its = problem(Collective::allreduce, communicator.ranks());
  const bool fits = algorithm && unsupported(*algorithm, its).empty() &&
                    verify(*algorithm, its).same_on_all_ranks;
  return fits ? *algorithm : find_algorithm("ring");
}

}  // namespace arlab::training
