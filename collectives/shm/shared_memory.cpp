#include "collectives/shm/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/unnamed_file.hpp"

namespace arlab::collectives {

SharedMemory::SharedMemory(MPI_Comm machine, std::size_t bytes, const char* advice)
    : bytes_(bytes) {
  int me = 0;
  check_mpi(MPI_Comm_rank(machine, &me), "MPI_Comm_rank");
  UnnamedFile file = me == 0 ? create_unnamed(bytes) : UnnamedFile{};
  check_mpi(MPI_Bcast(&file, sizeof file, MPI_BYTE, 0, machine), "MPI_Bcast");
  int error = file.error;
  const int descriptor = error != 0 || me == 0 ? file.descriptor : open_unnamed(file);
  if (error == 0 && descriptor < 0) error = errno;
  if (error == 0 && !(data_ = map_unnamed(descriptor, bytes))) error = errno;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, machine), "MPI_Allreduce");
  if (descriptor >= 0 && (me == 0 || file.error == 0)) close(descriptor);
  if (error == 0) return;
  if (data_) munmap(data_, bytes_);
  fail(Blame::environment, "the ranks cannot share " + std::to_string(bytes >> 20) +
                               " MiB of address space: " + std::strerror(error) + "; " + advice);
}

SharedMemory::~SharedMemory() { munmap(data_, bytes_); }

}  // namespace arlab::collectives
