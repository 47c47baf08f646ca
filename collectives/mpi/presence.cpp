#include "collectives/mpi/presence.hpp"

#include <fcntl.h>  // posix_fallocate
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/unnamed_file.hpp"

namespace arlab::collectives {

PresenceBoard::PresenceBoard() {
  MPI_Comm machine = MPI_COMM_NULL;
  int me = 0, here = 1, job_rank = 0;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(machine, &me), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(machine, &here), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &job_rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &job_ranks_), "MPI_Comm_size");
  ranks_.resize(static_cast<std::size_t>(here));
  check_mpi(MPI_Allgather(&job_rank, 1, MPI_INT, ranks_.data(), 1, MPI_INT, machine),
            "MPI_Allgather");
  own_ = static_cast<std::size_t>(me);
  bytes_ = ranks_.size() * sizeof(Presence);

  UnnamedFile file;
  if (me == 0) file = create_unnamed(bytes_);
  // Allocates it now: a full memory would otherwise end the process at the first access.
  if (me == 0 && file.error == 0)
    file.error = posix_fallocate(file.descriptor, 0, static_cast<off_t>(bytes_));
  check_mpi(MPI_Bcast(&file, sizeof file, MPI_BYTE, 0, machine), "MPI_Bcast");
  const int descriptor = file.error != 0 ? -1 : me == 0 ? file.descriptor : open_unnamed(file);
  map(descriptor);
  if (me != 0 && descriptor >= 0) close(descriptor);
  int shared = presences_ == &alone_ ? 0 : 1;
  // All have opened it before the first closes it.
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, machine), "MPI_Allreduce");
  if (me == 0 && file.descriptor >= 0) close(file.descriptor);
  if (shared == 0) {
    if (presences_ != &alone_) munmap(presences_, bytes_);
    presences_ = &alone_;
    ranks_ = {job_rank};
    own_ = 0;
  }
  own().process = static_cast<std::int32_t>(getpid());
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
}

PresenceBoard::~PresenceBoard() {
  own().activity = Activity::ended;
  if (presences_ != &alone_) munmap(presences_, bytes_);
}

// Memory of zeros is a valid Presence: its members are lock-free.
void PresenceBoard::map(int descriptor) {
  presences_ = &alone_;
  if (descriptor < 0) return;
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory != MAP_FAILED) presences_ = static_cast<Presence*>(memory);
}

}  // namespace arlab::collectives
