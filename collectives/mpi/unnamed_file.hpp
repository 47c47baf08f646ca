// Files without a name, in memory: nothing of them is left, however the processes end.
#pragma once

#include <cstddef>

namespace arlab::collectives {

/// Where a process has it open: other processes of the same user may open that, too.
struct UnnamedFile {
  long process = 0;
  int descriptor = -1, error = 0;      ///< error: errno, if it could not be made
  unsigned long device = 0, node = 0;  ///< of the file: in a container the process may be another
};

/// Returns a file of that many zeros.
UnnamedFile create_unnamed(std::size_t bytes);

/// Opens another process's. Returns a descriptor, or -1 with errno.
int open_unnamed(const UnnamedFile& file);

/// Returns the file's memory, of which only what is used is allocated, also if a process dumps
/// core; or null with errno.
std::byte* map_unnamed(int descriptor, std::size_t bytes);

}  // namespace arlab::collectives
