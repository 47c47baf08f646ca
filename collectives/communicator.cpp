#include "collectives/communicator.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

int Communicator::poll() {
  fail(Blame::usage,
       "this communicator can only wait for a round: use threads, MPI or emulated ranks");
}

void Communicator::native_allreduce(std::byte*, Count, Operand) {
  fail(Blame::usage, "this backend has no native allreduce: choose an algorithm");
}

void Communicator::native_collective(const Problem& problem, const std::byte* from, std::byte* into,
                                     Operand operand) {
  if (problem.collective != Collective::allreduce)
    fail(Blame::usage, "this backend has no native " + std::string(name(problem.collective)) +
                           ": choose an algorithm");
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (from != into && bytes > 0) std::memcpy(into, from, bytes);
  native_allreduce(into, problem.elements, operand);
}

std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator) {
  const auto groups = std::make_shared<const Groups>(communicator.machines());
  return groups->count() == 1 || groups->count() == groups->ranks() ? nullptr : groups;
}

}  // namespace arlab::collectives
