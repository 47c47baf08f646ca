// Limits the size of files, as if the disk were full.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace arlab {

/// While it lives, no file of this process can grow beyond that number of bytes.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : ignored_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, ignored_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

}  // namespace arlab
