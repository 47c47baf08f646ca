#include "collectives/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"

namespace arlab::collectives {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".writing-";
constexpr std::size_t kLongestName = 255;

// The number of a descriptor that the path names: /proc/self/fd/1, /dev/fd/1.
std::optional<int> descriptor_in(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd";
  if (folder != "/dev/fd" && folder != "/proc/self/fd" && folder != own) return std::nullopt;
  return read_number<int>(fs::path(path).filename().string());
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// A name beside the file, of this process; `number` distinguishes several.
std::string temporary_of(const std::string& target, int number) {
  const fs::path path(target);
  std::string end = std::string(kTemporary) + std::to_string(::getpid());
  if (number > 0) end += '-' + std::to_string(number);
  const std::string name = path.filename().string().substr(0, kLongestName - end.size());
  return (path.parent_path() / (name + end)).string();
}

void sync_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems return EINVAL because they cannot sync a folder; they order names themselves.
  // One may also be allowed to write into a folder without listing it.
  const bool synced = fd < 0 ? errno == EACCES : ::fsync(fd) == 0 || errno == EINVAL;
  if (fd >= 0) ::close(fd);
  if (!synced) cannot_write(path);
}

}  // namespace

std::string behind_links(std::string path) {
  constexpr int kMost = 40;  // as the system
  std::error_code error;
  for (int links = 0; links < kMost && !descriptor_in(path); ++links) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = (fs::path(path).parent_path() / next).string();
  }
  return path;
}

void cannot_write(const std::string& path) {
  const int reason = errno;
  const bool full = reason == ENOSPC || reason == EFBIG || reason == EDQUOT;
  fail(Blame::environment,
       "cannot write " + (path == "-" ? "to stdout" : path) + " (" + std::strerror(reason) + "): " +
           (full ? "make room or write somewhere else" : "name a file that can be written"));
}

bool make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  return !folder.empty() && fs::create_directories(folder, ignored);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(behind_links(path_)) {
  if (const auto own = descriptor_in(target_)) {
    fd_ = ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) cannot_write(path_);
    return;
  }
  make_folder_of(target_);
  struct stat old {};
  const bool there = ::stat(target_.c_str(), &old) == 0;
  if (!there && errno != ENOENT) cannot_write(path_);
  if (there && !S_ISREG(old.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) cannot_write(path_);
    return;
  }
  if (there && ::access(target_.c_str(), W_OK) != 0) cannot_write(path_);
  create_beside();
  if (!there) return;
  static_cast<void>(!::fchown(fd_, old.st_uid, old.st_gid));  // else it belongs to its writer
  static_cast<void>(!::fchmod(fd_, old.st_mode & 0777));
}

void OutputFile::create_beside() {
  errno = EISDIR;
  if (fs::path(target_).filename().empty()) cannot_write(path_);
  for (int number = 0; fd_ < 0; ++number) {
    temporary_ = temporary_of(target_, number);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ >= 0 || errno == EEXIST) continue;
    temporary_.clear();
    cannot_write(path_);
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) cannot_write(path_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (!temporary_.empty() && ::fsync(fd_) != 0) cannot_write(path_);
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0 && errno != EINTR) cannot_write(path_);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) cannot_write(path_);
  temporary_.clear();
  sync_folder(target_);
}

void write_atomically(const std::string& path, std::span<const std::string_view> pieces) {
  OutputFile file(path);
  for (const std::string_view piece : pieces) file.write(piece);
  file.commit();
}

bool is_left_over(std::string_view file_name) {
  const std::size_t at = file_name.rfind(kTemporary);
  if (at == std::string_view::npos) return false;
  const std::string_view number = file_name.substr(at + kTemporary.size());
  return !number.empty() && number.front() != '-' &&
         number.find_first_not_of("0123456789-") == std::string_view::npos;
}

void check_can_write(const std::string& path) {
  std::error_code ignored;
  if (descriptor_in(behind_links(path))) return;
  // Opening a pipe would wait for its reader, or end it.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    if (!fs::is_directory(path, ignored)) return;
    errno = EISDIR;
    cannot_write(path);
  }
  const OutputFile attempt(path);
}

int open_to_append(const std::string& path, bool exclusive) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (exclusive ? O_EXCL : 0),
                0666);
}

}  // namespace arlab::collectives
