#include "training/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".writing-";

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

[[noreturn]] void cannot_write(const std::string& path) {
  cannot("write", path,
         errno == ENOSPC || errno == EFBIG || errno == EDQUOT
             ? "free some space or write to another folder"
             : "use a writable folder");
}

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) cannot_write(path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_folder(const std::string& folder) {
  const Open opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  // Some file systems return EINVAL because they cannot sync a folder; they order names themselves.
  if (opened.fd < 0 || (::fsync(opened.fd) != 0 && errno != EINVAL)) cannot_write(folder);
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

void write_atomically(const std::string& path, std::span<const std::string_view> pieces) {
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code ignored;  // opening the file reports whether the folder exists
  fs::create_directories(folder, ignored);

  const std::string temporary = path + std::string(kTemporary) + std::to_string(::getpid());
  try {
    const Open file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) cannot_write(path);
    for (const std::string_view piece : pieces) write_all(file.fd, piece, path);
    if (::fsync(file.fd) != 0) cannot_write(path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) cannot_write(path);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder);
}

bool is_left_over(std::string_view file_name) {
  const std::size_t at = file_name.rfind(kTemporary);
  if (at == std::string_view::npos) return false;
  const std::string_view number = file_name.substr(at + kTemporary.size());
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace arlab::training
