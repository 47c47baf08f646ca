#include "collectives/mpi/subset.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {

std::unique_ptr<Communicator> subset_of(Communicator& world, const std::vector<Rank>& members,
                                        Rest rest) {
  std::vector<Rank> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail(Blame::usage, "a rank of the job is in the group twice: start one process per rank");
  for (const Rank rank :
       {sorted.empty() ? -1 : sorted.front(), sorted.empty() ? -1 : sorted.back()})
    if (rank < 0 || rank >= world.ranks())
      fail(Blame::usage, "rank " + std::to_string(rank) + " is not one of the job's " +
                             std::to_string(world.ranks()) + ": give ranks of the job");
  if (!std::binary_search(sorted.begin(), sorted.end(), world.rank()))
    fail(Blame::usage, "rank " + std::to_string(world.rank()) +
                           " is not in the group that it makes: only members make it");
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some),
            "MPI_Group_incl");
  check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm), "MPI_Comm_create_group");
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  auto made = mpi_communicator(watch_of(world), comm, std::move(rest));
  MPI_Comm_free(&comm);
  return made;
}

}  // namespace arlab::collectives
