#include "collectives/mpi/library/check.hpp"

#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

void check_mpi(int code, const char* doing) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(Blame::environment, std::string("MPI failed in ") + doing + ": " +
                               std::string(text, static_cast<std::size_t>(length)));
}

Rank rank_in(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

Rank ranks_of(MPI_Comm comm) {
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return ranks;
}

}  // namespace arlab::collectives
