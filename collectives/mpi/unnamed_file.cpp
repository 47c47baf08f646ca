#include "collectives/mpi/unnamed_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace arlab::collectives {

UnnamedFile create_unnamed([[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  rlimit limit{};  // a larger file would end the process
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) return {.error = EFBIG};
  UnnamedFile file{static_cast<long>(getpid()), memfd_create("arlab", MFD_CLOEXEC)};
  struct stat status {};
  if (file.descriptor < 0 || ftruncate(file.descriptor, static_cast<off_t>(bytes)) != 0 ||
      fstat(file.descriptor, &status) != 0)
    file.error = errno;
  file.device = status.st_dev;
  file.node = status.st_ino;
  return file;
#else
  return {.error = ENOSYS};
#endif
}

int open_unnamed(const UnnamedFile& file) {
  const std::string path =
      "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || (fstat(descriptor, &status) == 0 && status.st_dev == file.device &&
                         status.st_ino == file.node))
    return descriptor;
  close(descriptor);
  errno = ESRCH;
  return -1;
}

std::byte* map_unnamed(int descriptor, std::size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (mapped == MAP_FAILED) return nullptr;
#ifdef MADV_DONTDUMP
  madvise(mapped, bytes, MADV_DONTDUMP);
#endif
  return static_cast<std::byte*>(mapped);
}

}  // namespace arlab::collectives
