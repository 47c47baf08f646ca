// SharedMemory: memory that all ranks of a communicator map, which must be on one machine.
//
// It is anonymous: nothing of it stays behind, however its processes end, and the size of /dev/shm
// does not limit it. Pages are allocated when they are first used.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace arlab::collectives {

class SharedMemory {
 public:
  /// Maps that many bytes of zeros. All ranks of `machine` call it together. Throws
  /// Error(environment) with the reason and that advice on all of them if any cannot.
  SharedMemory(MPI_Comm machine, std::size_t bytes, const char* advice = "use the backend mpi");
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace arlab::collectives
