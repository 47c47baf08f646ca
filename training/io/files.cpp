#include "training/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

// A file descriptor that closes itself.
struct Open {
  explicit Open(int opened) : fd(opened) {}
  ~Open() {
    if (fd >= 0) ::close(fd);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  const int fd;
};

[[noreturn]] void cannot(const char* what, const std::string& path, std::string_view hint) {
  const int reason = errno;
  fail(Blame::environment, std::string("cannot ") + what + ' ' + path + " (" +
                               std::strerror(reason) + "): " + std::string(hint));
}

}  // namespace

std::string read_whole(const std::string& path, std::string_view hint) {
  const Open file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) cannot("read", path, hint);
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) cannot("read", path, hint);
  if (S_ISCHR(status.st_mode))  // which may never end
    fail(Blame::environment, "cannot read " + path + " (it is a device): " + std::string(hint));
  std::string text;
  if (S_ISREG(status.st_mode)) text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  while (true) {
    if (filled == text.size()) text.resize(filled + 4096);  // the file grew or has an unknown size
    const ssize_t got = ::read(file.fd, text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot("read", path, hint);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

ByteSource open_source(const std::string& path, std::string_view hint) {
  const auto file = std::make_shared<const Open>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file->fd < 0) cannot("read", path, hint);
  struct stat status {};
  if (::fstat(file->fd, &status) != 0) cannot("read", path, hint);
  if (!S_ISREG(status.st_mode))
    fail(Blame::environment, "cannot read " + path + " (it is no file): " + std::string(hint));
  const auto read = [file, path, tip = std::string(hint)](std::uint64_t at, std::span<char> into) {
    while (!into.empty()) {
      const ssize_t got = ::pread(file->fd, into.data(), into.size(), static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;  // the file has become shorter
      if (got <= 0) cannot("read", path, tip);
      into = into.subspan(static_cast<std::size_t>(got));
      at += static_cast<std::uint64_t>(got);
    }
  };
  return {static_cast<std::uint64_t>(status.st_size), read};
}

ByteSource in_memory(std::string_view bytes) {
  return {bytes.size(), [bytes](std::uint64_t at, std::span<char> into) {
            const std::string_view part = bytes.substr(at, into.size());
            std::copy(part.begin(), part.end(), into.begin());
          }};
}

}  // namespace arlab::training
