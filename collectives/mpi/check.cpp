#include "collectives/mpi/check.hpp"

#include <mpi.h>

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

}  // namespace arlab::collectives
