#include "collectives/files/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "collectives/files/output_file.hpp"

namespace arlab::collectives {
namespace {

// Whether the name still belongs to the open file: its holder may have removed it.
bool still_named(int file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

Locked lock(int file, LockFile::When when) {
  const int how = when == LockFile::When::now ? LOCK_EX | LOCK_NB : LOCK_EX;
  while (::flock(file, how) != 0) {
    if (errno == EWOULDBLOCK) return Locked::by_another;
    if (errno != EINTR) return Locked::unsupported;
  }
  return Locked::here;
}

std::string this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return "process " + std::to_string(::getpid()) + " on " + host.data();
}

// What the holder has written, if it has come to that.
std::string content(int file) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

}  // namespace

LockFile::LockFile(const std::string& path, When when) : path_(path) {
  make_folder_of(path);
  for (;;) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) cannot_write(path);
    state_ = lock(fd_, when);
    if (state_ == Locked::by_another) break;
    if (still_named(fd_, path)) break;
    ::close(fd_);
  }
  holder_ = state_ == Locked::by_another ? content(fd_) : this_process();
  if (state_ != Locked::here) return;
  const bool written =
      ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, holder_.data(), holder_.size(), 0) > 0;
  static_cast<void>(written);  // on a full disk the holder has no name
}

LockFile::~LockFile() {
  if (state_ == Locked::here) ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace arlab::collectives
