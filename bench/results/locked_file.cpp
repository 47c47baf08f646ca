#include "bench/results/locked_file.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/text/say.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/files/output_file.hpp"

namespace arlab::bench {
namespace {

namespace fs = std::filesystem;

// Whether the name still belongs to the open file: another process may have renamed it.
bool still_named(int file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

// File systems without locks count as unlocked.
void lock(int file, const std::string& path) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file);
  fail(Blame::environment,
       fmt::format("another process writes {}: name another file, or wait for its end", path));
}

LockedFile stream_of(int file, const std::string& path) {
  std::FILE* stream = ::fdopen(file, "ab");
  if (!stream) cannot_write(path);
  return LockedFile(stream);
}

}  // namespace

void keep_earlier(const std::string& path, const std::string& instead) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return;
  const std::string file = collectives::behind_links(path);  // a link stays, to the new file
  int number = 1;
  while (fs::exists(fmt::format("{}.{}", file, number), error)) ++number;
  const std::string kept = fmt::format("{}.{}", file, number);
  fs::rename(file, kept, error);
  if (error)
    fail(Blame::environment, fmt::format("cannot keep the earlier {} as {} ({}): name another file",
                                         file, kept, error.message()));
  say("note: kept the earlier {} as {}{}\n", file, kept,
      instead.empty() ? "" : fmt::format(" ({})", instead));
}

LockedFile open_to_append(const std::string& path) {
  if (path == "-") return LockedFile(stdout);
  make_folder_of(path);
  for (;;) {
    const int file = collectives::open_to_append(path);
    if (file < 0) cannot_write(path);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return stream_of(file, path);
    lock(file, path);
    if (still_named(file, path)) return stream_of(file, path);
    ::close(file);
  }
}

LockedFile open_new(const std::string& path, const std::string& instead) {
  for (;;) {
    LockedFile file = open_to_append(path);
    if (path == "-") return file;
    std::error_code none;
    const auto size = fs::is_regular_file(path, none) ? fs::file_size(path, none) : 0;
    if (size == 0 || none) return file;
    keep_earlier(path, instead);  // while it is locked, so that no file in use is renamed
  }
}

}  // namespace arlab::bench
