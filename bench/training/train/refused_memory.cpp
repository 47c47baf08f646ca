// Ends the program where a library would ask for memory for ever.
//
// OpenBLAS repeats mmap() until it succeeds (0.3.21, memory.c, blas_memory_alloc), so under a limit
// of the address space it would never return. This program's mmap() comes before the C library's.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "bench/config/process.hpp"

#if defined(__linux__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
extern "C" [[gnu::visibility("default")]] void* mmap(void* address, std::size_t bytes,
                                                     int protection, int flags, int file,
                                                     off_t offset) noexcept {
  constexpr int kMost = 8;  // refusals one after another, of a thread
  thread_local int refused = 0;
  const long mapped = ::syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  if (mapped != -1) {
    refused = 0;
    return reinterpret_cast<void*>(mapped);
  }
  if (errno == ENOMEM && ++refused >= kMost) {
    for (const std::string_view part :
         {std::string_view("error: "), arlab::bench::kOutOfMemory, std::string_view("\n")})
      static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
    std::_Exit(3);
  }
  return MAP_FAILED;
}
#endif
