#include "collectives/shm/machine_ranks.hpp"

#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {

MachineRanks::MachineRanks(Communicator& world) {
  const Groups groups(world.machines());
  const Rank mine = groups.group_of(world.rank());
  machines_ = groups.count();
  count_ = groups.size_of(mine);
  for (Rank rank = 0; rank < world.ranks(); ++rank)
    places_.push_back(groups.group_of(rank) == mine ? groups.place_of(rank) : -1);
  check_mpi(MPI_Comm_split(comm_of(world), mine, world.rank(), &comm_), "MPI_Comm_split");
  MPI_Comm processors = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(comm_of(world), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &processors),
      "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(processors, &sharing_processors_), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&processors), "MPI_Comm_free");
}

MachineRanks::~MachineRanks() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Comm_free(&comm_);
}

}  // namespace arlab::collectives
