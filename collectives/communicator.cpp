#include "collectives/communicator.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {

void Communicator::exchange(int lane, std::span<const Transfer> round, Operand operand) {
  start(lane, round, operand);
  const int done = wait();
  expects(done == lane, "exchange() while another lane was started");
}

int Communicator::poll() {
  fail(Blame::usage,
       "this communicator can only wait for a round: use threads, MPI or emulated ranks");
}

void Communicator::native_allreduce(std::byte*, Count, Operand) {
  fail(Blame::usage, "this backend has no native allreduce: choose an algorithm");
}

std::string Communicator::native_name_for(const Problem& problem) const {
  return problem.collective == Collective::allreduce ? native_name() : "";
}

void Communicator::native_collective(const Problem& problem, std::byte* data, Operand operand) {
  if (problem.collective != Collective::allreduce)
    fail(Blame::usage,
         concat("this backend has no native ", name(problem.collective), ": choose an algorithm"));
  native_allreduce(data, problem.elements, operand);
}

void Communicator::native_collective(const Problem& problem, const std::byte* from, std::byte* into,
                                     Operand operand) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  if (bytes > 0) std::memcpy(into, from, bytes);
  native_collective(problem, into, operand);
}

std::vector<std::string> Communicator::native_algorithms() {
  fail(Blame::environment,
       "this backend has no library whose algorithm can be chosen: use the backend mpi or nccl");
}

std::string Communicator::native_label(const std::string& spec) const {
  return concat(native_name(), ":", spec);
}

void Communicator::use_native(const std::string& spec) {
  if (!spec.empty()) native_algorithms();
}

SentMessages Communicator::sent_messages() {
  fail(Blame::environment,
       "this backend has no library whose messages are counted: use the backend mpi");
}

std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator) {
  const auto groups = std::make_shared<const Groups>(communicator.machines());
  return groups->count() == 1 || groups->count() == groups->ranks() ? nullptr : groups;
}

}  // namespace arlab::collectives
