#include "collectives/mpi/machines.hpp"

#include "collectives/emulated_machines.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {
namespace {

// Of the job's ranks on this machine, those that are emulated to be on the same.
void split_emulated(MPI_Comm& machine) {
  const int each = ranks_per_emulated_machine();
  if (each == 0) return;
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(machine, rank_in(MPI_COMM_WORLD) / each, 0, &part), "MPI_Comm_split");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  machine = part;
}

}  // namespace

std::vector<Rank> machines_of(MPI_Comm comm) {
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  split_emulated(machine);
  Rank first = rank_in(comm);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, machine), "MPI_Allreduce");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  std::vector<Rank> all(static_cast<std::size_t>(ranks_of(comm)));
  check_mpi(MPI_Allgather(&first, 1, MPI_INT32_T, all.data(), 1, MPI_INT32_T, comm),
            "MPI_Allgather");
  return all;
}

}  // namespace arlab::collectives
