#include "collectives/communicator.hpp"

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

int Communicator::poll() {
  fail(Blame::usage, "this backend can only wait for a round: choose backend threads or mpi");
}

void Communicator::native_allreduce(std::byte*, Count, Operand) {
  fail(Blame::usage, "this backend has no allreduce of its own: choose an algorithm");
}

std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator) {
  const auto groups = std::make_shared<const Groups>(communicator.machines());
  return groups->count() == 1 || groups->count() == groups->ranks() ? nullptr : groups;
}

}  // namespace arlab::collectives
