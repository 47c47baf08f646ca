#include "collectives/mpi/presence.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>

#include "collectives/mpi/check.hpp"

namespace arlab::collectives {
namespace {

using Name = std::array<char, 64>;

/// Creates shared memory of that size, with zeros. Returns its descriptor, and its name; -1 if there
/// is none.
int create(Name& name, std::size_t bytes) {
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/arlab-%ld-%08x", static_cast<long>(getpid()), random());
  const int descriptor = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR, 0600);
  if (descriptor < 0) return -1;
  // Allocates it now: a full /dev/shm would otherwise end the process at the first access.
  if (posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) return descriptor;
  close(descriptor);
  shm_unlink(name.data());
  return -1;
}

}  // namespace

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

  Name name{};
  int descriptor = me == 0 ? create(name, bytes_) : -1;
  check_mpi(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, machine),
            "MPI_Bcast");
  if (me != 0) descriptor = shm_open(name.data(), O_RDWR, 0600);
  map(descriptor);
  int shared = presences_ == &alone_ ? 0 : 1;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, machine), "MPI_Allreduce");
  if (me == 0 && descriptor >= 0) shm_unlink(name.data());  // all have mapped it
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
  close(descriptor);
  if (memory != MAP_FAILED) presences_ = static_cast<Presence*>(memory);
}

}  // namespace arlab::collectives
