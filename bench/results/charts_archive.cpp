#include "bench/results/charts_archive.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::bench {

int open_charts_archive() {
  std::string bytes(kChartsArchiveHex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned char byte = 0;
    std::from_chars(&kChartsArchiveHex[2 * i], &kChartsArchiveHex[2 * i] + 2, byte, 16);
    bytes[i] = static_cast<char>(byte);
  }
  const int file = memfd_create("arlab in Python", 0);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    fail(Blame::environment,
         fmt::format("cannot keep the programs in Python in memory ({}): free some memory",
                     std::strerror(errno)));
  return file;
}

}  // namespace arlab::bench
