// Lock files: what one process at a time does. A killed process holds no lock.
#pragma once

#include <string>

namespace arlab::collectives {

enum class Locked { here, by_another, unsupported };

class LockFile {
 public:
  enum class When { now, as_soon_as_possible };

  /// Opens the file, which it creates, and locks it. Throws Error(environment) if it cannot be
  /// opened. Some file systems have no locks; then nothing is locked.
  LockFile(const std::string& path, When when);
  /// Removes the file if it is locked here.
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  Locked state() const { return state_; }
  /// Returns the process that holds the lock: "process 1234 on node7".
  const std::string& holder() const { return holder_; }

 private:
  std::string path_, holder_;
  int fd_ = -1;
  Locked state_ = Locked::here;
};

}  // namespace arlab::collectives
