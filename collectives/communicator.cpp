#include "collectives/communicator.hpp"

#include "algorithms/base/error.hpp"

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

std::vector<Rank> Communicator::machines() {
  return std::vector<Rank>(static_cast<std::size_t>(ranks()));
}

std::vector<SeenPlace> Communicator::places() const {
  return services_.places ? services_.places() : std::vector<SeenPlace>{};
}

void Communicator::check_ranks() const {
  if (services_.check_ranks) services_.check_ranks();
}

void Communicator::set_turn(int lane, Turn turn) {
  if (services_.set_turn) services_.set_turn(lane, turn);
}

std::shared_ptr<std::byte[]> Communicator::allocate(std::size_t bytes) {
  return services_.allocate ? services_.allocate(bytes) : std::make_shared<std::byte[]>(bytes);
}

SentMessages Communicator::sent_messages() {
  if (services_.sent_messages) return services_.sent_messages();
  fail(Blame::environment,
       "this backend has no library whose messages are counted: use the backend mpi");
}

void Communicator::native_allreduce(std::byte* data, Count elements, Operand operand) {
  baseline().run({.ranks = ranks(), .elements = elements}, data, data, operand);
}

std::shared_ptr<const Groups> groups_by_machine(Communicator& communicator) {
  const auto groups = std::make_shared<const Groups>(communicator.machines());
  return groups->count() == 1 || groups->count() == groups->ranks() ? nullptr : groups;
}

}  // namespace arlab::collectives
