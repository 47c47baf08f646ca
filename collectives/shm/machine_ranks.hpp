// MachineRanks: the ranks of an MPI job that share memory with this one.
#pragma once

#include <mpi.h>

#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class MachineRanks {
 public:
  /// `world`: Mpi::world(), whose machines() decide. All its ranks call it together.
  explicit MachineRanks(Communicator& world);
  ~MachineRanks();  // may be after MPI has ended
  MachineRanks(const MachineRanks&) = delete;
  MachineRanks& operator=(const MachineRanks&) = delete;

  /// Of these ranks, in their order.
  MPI_Comm comm() const { return comm_; }
  /// Position among these ranks of each rank of the job; -1 of those on other machines.
  const std::vector<Rank>& places() const { return places_; }
  Rank count() const { return count_; }
  Rank machines() const { return machines_; }
  /// Processes of the job that share the processors; more than count() where machines are emulated.
  Rank sharing_processors() const { return sharing_processors_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Rank> places_;
  Rank count_ = 0, machines_ = 1, sharing_processors_ = 1;
};

}  // namespace arlab::collectives
